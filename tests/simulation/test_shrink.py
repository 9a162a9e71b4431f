"""Laws of making a failing world small."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordering.engine import Engine
from ordering.events import Event
from ordering.values import Message
from simulation.options import GiveUp, GroupOptions, Hostility, expand
from simulation.shrink import PLAINEST, shrink, simpler
from tests.simulation.worlds import plain_options


def test_a_world_that_does_not_fail_is_not_shrunk() -> None:
    assert shrink(plain_options(), checker="lost") is None


def test_every_simpler_world_differs_in_one_thing() -> None:
    options = replace(
        expand(3), hostile=(Hostility.CYCLE, Hostility.JUMP), loss=0.2, restarts=1, members=4
    )
    simpler_worlds = list(simpler(options))
    assert len(simpler_worlds) == len(set(simpler_worlds))
    assert options not in simpler_worlds


def test_a_plain_world_can_only_lose_members_and_messages() -> None:
    for candidate in simpler(plain_options()):
        assert all(getattr(candidate, name) == PLAINEST[name] for name in ("loss", "restarts"))


def test_a_failing_world_becomes_small_and_its_history_short(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """The planted fault: the engine says nothing at all about a sender's fourth message."""
    receive = Engine.receive

    def forget(engine: Engine, message: Message, *, now: int) -> list[Event]:
        return [] if message.id.seq == 4 else receive(engine, message, now=now)

    monkeypatch.setattr(Engine, "receive", forget)
    options = replace(
        plain_options(messages=60, members=4),
        groups=(GroupOptions("semantic", GiveUp.RELEASE, 5_000),),
        loss=0.2,
        duplication=0.2,
        hostile=(Hostility.CYCLE,),
    )
    shrunk = shrink(options, checker="fate_missing")
    assert shrunk is not None
    assert shrunk.options.loss == 0.0
    assert shrunk.options.hostile == ()
    assert shrunk.options.messages < 20
    assert shrunk.violation.checker == "fate_missing"
    assert shrunk.maybe_endpoint is not None
    assert len(shrunk.maybe_endpoint.steps) == 1
