"""The scenes: each can be spoken, is what its source says, and shows what it promises."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from console.configuration.demo import DemoSettings
from console.configuration.options import options_of
from console.demo.scene import BROADCAST, EXCERPTS, SCENES, TRACES, Scene, scene_names
from console.verification_sources import verify_sources
from deploy.local.broker import Broker
from ingest.wire.envelope import decode, message_of
from members.script import Line, Script
from members.speaker import Speaker
from ordering.engine import Engine
from ordering.events import Abandoned, Delivered, Released
from ordering.policy import GroupPolicy
from ordering.stamps import CausalStamps
from ordering_udfs.group_policies import GroupPolicies, parse_rule
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.console.desk import SECOND, Desk
from tests.console.excerpts import broadcast, traces, written


def spoken(scene: Scene, script: Script) -> list[bytes]:
    """What all members send, in the order of its times."""
    lost = {scene.maybe_lost}
    lines: list[Line] = sorted(script.lines, key=lambda line: line.at_us)
    return [
        datagram
        for line in lines
        if line.id not in lost
        for datagram in Speaker([line], start_at=0, speed=1e9).due(now=2**60)
    ]


def policies(scene: Scene) -> GroupPolicies:
    default = GroupPolicy(after_us=10)
    return GroupPolicies(default, tuple(parse_rule(one, default=default) for one in scene.rules))


def engines(scene: Scene) -> dict[str, Engine]:
    groups = {line.group for line in scene.script().lines}
    return {group: Engine(policies(scene).of(group)) for group in groups}


def test_the_setting_knows_every_scene() -> None:
    (option,) = [one for one in options_of("demo", DemoSettings) if one.name == "scene"]
    assert option.choices == scene_names()
    assert DemoSettings().scene in SCENES


@pytest.mark.parametrize("name", SCENES)
@pytest.mark.parametrize("seed", range(3))
def test_every_scene_is_delivered_whole_in_any_order_of_arrival(name: str, seed: int) -> None:
    scene = SCENES[name]
    script = scene.script()
    datagrams = spoken(scene, script)
    random.Random(seed).shuffle(datagrams)
    found = engines(scene)
    events = []
    for datagram in datagrams:
        envelope = decode(datagram)
        events += found[envelope.group].receive(message_of(envelope, datagram), now=0)
    for engine in found.values():
        events += engine.advance(10**12)
    delivered = [event for event in events if isinstance(event, Delivered)]
    assert len(delivered) == scene.delivered(script)
    assert sum(engine.held_count for engine in found.values()) == 0


@pytest.mark.broker
@pytest.mark.parametrize("name", SCENES)
def test_every_scene_comes_out_of_the_jobs_own_shard_with_nothing_to_verify(
    name: str, broker: Broker, tmp_path: Path
) -> None:
    """The scene without Spark: real topics, the real shard, real tables, and `verify`."""
    scene = SCENES[name]
    script = scene.script()
    policies = group_policies(JobSettings(groups=scene.rules))
    desk = Desk(broker.bootstrap, maybe_policies=policies)
    datagrams = spoken(scene, script)
    random.Random(7).shuffle(datagrams)
    for start in range(0, len(datagrams), 100):
        desk.say(*datagrams[start : start + 100])
        desk.tick()
    for number in range(1, 6):
        desk.tick(later_by=number * 2 * SECOND)
    desk.keep(tmp_path)
    report = verify_sources(desk.kafka, str(tmp_path), policies=policies)
    assert report.ok, report
    assert report.counts["delivered"] == scene.delivered(script)
    assert report.counts["held"] == report.counts["behind"] == 0


def test_nearly_every_span_of_the_traces_comes_before_the_one_that_called_it() -> None:
    script = SCENES["traces"].script()
    times = {(line.group, line.id): line.at_us for line in script.lines}
    children = [line for line in script.lines if line.parents]
    early = [line for line in children if line.at_us <= times[line.group, line.parents[0]]]
    assert len(children) == 250
    assert len(early) / len(children) > 0.9


def test_the_lost_question_holds_its_thread_until_it_is_given_up_and_nobody_else() -> None:
    scene = SCENES["incident"]
    (engine,) = engines(scene).values()
    events = []
    for datagram in spoken(scene, scene.script()):
        events += engine.receive(message_of(decode(datagram), datagram), now=0)
    assert engine.held_count == 19
    given_up = engine.advance(10**12)
    assert sum(isinstance(event, Abandoned) for event in given_up) == 1
    assert any(isinstance(event, Released) for event in given_up)
    assert sum(isinstance(event, Delivered) for event in given_up) == 19


def test_every_event_of_the_causal_scene_carries_its_clock() -> None:
    scene = SCENES["causal"]
    for datagram in spoken(scene, scene.script()):
        assert isinstance(decode(datagram).stamps, CausalStamps)


def test_the_shipped_lines_are_what_the_sources_say() -> None:
    """If this fails: python -m tests.console.excerpts"""
    assert TRACES.read_text(encoding="utf-8") == written(traces())
    assert BROADCAST.read_text(encoding="utf-8") == written(broadcast())


@pytest.mark.parametrize(
    ("folder", "licence", "credit"),
    [("spans", "LICENSE-Nezha", "Nezha"), ("vector_clocks", "LICENSE.txt", "shiviz")],
)
def test_the_licence_the_credit_and_the_changes_are_next_to_it(
    folder: str, licence: str, credit: str
) -> None:
    assert "MIT" in (EXCERPTS / folder / "README.md").read_text(encoding="utf-8")
    assert "Permission is hereby granted" in (EXCERPTS / folder / licence).read_text("utf-8")
    readme = (EXCERPTS / folder / "README.md").read_text(encoding="utf-8")
    assert credit in readme
    assert "## What was changed" in readme
