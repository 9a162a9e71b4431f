"""Laws of an engine at work."""

from __future__ import annotations

from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy
from simulation.endpoint import RESTORED, TICK, describe_fault, revive, snapshot_bytes
from simulation.history import History
from tests.simulation.worlds import chain, honest_chain, new_endpoint


def test_the_transcript_has_a_step_for_everything_that_was_done() -> None:
    history = History()
    endpoint = new_endpoint(history)
    (entry,) = chain(history, 1)
    endpoint.receive(entry, now=5)
    endpoint.tick(6)
    endpoint.crash()
    assert [(step.entry_index, step.now) for step in endpoint.steps] == [
        (entry.number, 5),
        (TICK, 6),
        (RESTORED, 6),
    ]
    assert endpoint.handed == {entry.number}
    assert endpoint.crashes == 1


def test_a_crash_keeps_what_is_held() -> None:
    endpoint = honest_chain(3, crash_after=2)
    assert endpoint.engine.delivered_count == 3
    last = endpoint.steps[-1].events
    assert sum(isinstance(event, Delivered) for event in last) == 3


def test_an_engine_survives_as_bytes() -> None:
    endpoint = honest_chain(4, crash_after=9)
    revived = revive(endpoint.policy, snapshot_bytes(endpoint.engine))
    assert revived.delivered_count == 4
    assert isinstance(revived, Engine)
    assert snapshot_bytes(Engine(GroupPolicy())) == snapshot_bytes(Engine(GroupPolicy()))


def test_a_fault_is_told_with_its_place() -> None:
    assert describe_fault(KeyError("x")) == "KeyError: 'x' at nowhere"
