"""The demo's processes: one configuration, one command line each."""

from __future__ import annotations

import tomllib
from pathlib import Path

from console.configuration.demo import DemoSettings
from console.configuration.loading import load
from console.demo import cast
from console.demo.performance import SCRIPT_FILE
from members.script import read_script

PLACE = cast.Place(Path('/tmp/a "quoted" place'), "127.0.0.1:1234", 5001, 5002)


def test_the_configuration_is_one_that_every_command_accepts(tmp_path: Path) -> None:
    place = PLACE._replace(directory=tmp_path / 'a "quoted" place')
    place.directory.mkdir()
    place.configuration_file.write_text(cast.configuration_text(place))
    configuration = load(config_file=place.configuration_file, environ={}).configuration
    assert configuration.kafka.bootstrap == place.bootstrap
    assert configuration.job.tables_directory == str(place.tables)
    assert tomllib.loads(cast.configuration_text(place))["agent"]["groups"] == ["239.255.80.2:5002"]


def test_the_relay_gets_the_faults_that_were_asked_for() -> None:
    command = cast.relay_command(PLACE, DemoSettings(seed=9, loss=3.5, dup=2, jitter_ms=70))
    for flag, value in (("--seed", "9"), ("--loss", "3.5"), ("--dup", "2"), ("--jitter-ms", "70")):
        assert command[command.index(flag) + 1] == value


def test_the_talk_takes_the_seconds_that_were_asked_for() -> None:
    script = read_script(SCRIPT_FILE)
    command = cast.member_command(
        PLACE, SCRIPT_FILE, script, member=script.members[0], start_at=1, seconds=10
    )
    speed = float(command[command.index("--speed") + 1])
    assert abs(script.duration_us / speed - 10_000_000) < 1
