"""The demo's processes: one configuration, one command line each."""

from __future__ import annotations

import tomllib
from pathlib import Path

from console.configuration.demo import DemoSettings
from console.configuration.loading import load
from console.demo import cast
from console.demo.page import write_token
from console.demo.scene import SCENES

PLACE = cast.Place(Path('/tmp/a "quoted" place'), "127.0.0.1:1234", 5001, 5002, 5003)
CONVERSATION = SCENES["conversation"]


def test_the_configuration_is_one_that_every_command_accepts(tmp_path: Path) -> None:
    place = PLACE._replace(directory=tmp_path / 'a "quoted" place')
    place.directory.mkdir()
    place.configuration_file.write_text(cast.configuration_text(place, CONVERSATION))
    write_token(place.token_file)
    configuration = load(config_file=place.configuration_file, environ={}).configuration
    assert configuration.kafka.bootstrap == place.bootstrap
    assert configuration.job.tables_directory == str(place.tables)
    assert tomllib.loads(cast.configuration_text(place, CONVERSATION))["agent"]["groups"] == [
        "239.255.80.2:5002"
    ]


def test_the_relay_gets_the_faults_that_were_asked_for() -> None:
    command = cast.relay_command(PLACE, DemoSettings(seed=9, loss=3.5, dup=2, jitter_ms=70))
    for flag, value in (("--seed", "9"), ("--loss", "3.5"), ("--dup", "2"), ("--jitter-ms", "70")):
        assert command[command.index(flag) + 1] == value


def test_the_talk_takes_the_seconds_that_were_asked_for() -> None:
    script = CONVERSATION.script()
    command = cast.member_command(
        PLACE, CONVERSATION, script, member=script.members[0], start_at=1, seconds=10
    )
    speed = float(command[command.index("--speed") + 1])
    assert abs(script.duration_us / speed - 10_000_000) < 1


def test_every_scene_has_a_configuration_with_its_rules(tmp_path: Path) -> None:
    place = PLACE._replace(directory=tmp_path)
    write_token(place.token_file)
    for scene in SCENES.values():
        place.configuration_file.write_text(cast.configuration_text(place, scene))
        configuration = load(config_file=place.configuration_file, environ={}).configuration
        assert configuration.job.groups == scene.rules
        assert configuration.web.address == "127.0.0.1:5003"
        assert configuration.web.member_address == f"{cast.MEMBERS_ADDRESS}:5001"


def test_only_the_member_whose_message_is_lost_is_told_to_lose_it() -> None:
    scene = SCENES["incident"]
    script = scene.script()
    commands = {
        member: cast.member_command(PLACE, scene, script, member=member, start_at=1, seconds=10)
        for member in script.members
    }
    losing = {member for member, command in commands.items() if "--lose" in command}
    assert losing == {"porky11"}


def test_the_token_of_the_page_stands_in_no_command_line_and_no_configuration() -> None:
    text = cast.configuration_text(PLACE, CONVERSATION)
    assert "page-token" in text
    assert "token=" not in " ".join(cast.page_command(PLACE))
