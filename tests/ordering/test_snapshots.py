"""Laws of snapshots: plain, canonical, and an engine put back goes on as if it never stopped."""

from __future__ import annotations

from itertools import groupby
from random import Random
from typing import Any

import msgspec
import pytest
from hypothesis import given

from ordering.engine import Engine
from ordering.errors import OperatorFault, SnapshotRefused
from ordering.events import Event
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.snapshots import FORMAT, put_back
from tests.ordering.histories import TIGHT, History, histories
from tests.ordering.memories import memory
from tests.ordering.messages import PATIENCE_US, delivered, group, policy_for, say, through_bytes
from tests.ordering.untimed import briefly
from tests.ordering.worlds import DISCIPLINES, mix, talk, worlds

every_rule = pytest.mark.parametrize("give_up", list(GiveUp))
every_discipline = pytest.mark.parametrize("discipline", DISCIPLINES)
PLAIN = (int, str, bytes, type(None))


def as_bytes(engine: Engine) -> bytes:
    return msgspec.msgpack.encode(engine.snapshot())


def story(discipline: str, rng: Random) -> History:
    """What honest members said over a bad network, in some time."""
    now, history = 0, History()
    for message in mix(talk(discipline, rng), rng):
        now += rng.choice((0, 0, 1, PATIENCE_US // 2))
        history.append((message, now))
    return history


def told(engine: Engine, history: History, *, end: int) -> list[Event]:
    """Let the rest of a history happen, and then all patience run out."""
    events = [event for message, now in history for event in engine.receive(message, now=now)]
    return events + engine.advance(end + 10 * PATIENCE_US)


def must_go_on_the_same(policy: GroupPolicy, history: History) -> None:
    """Put a copy back at every point of a history; each must tell the rest of the same story."""
    end = history[-1][1] if history else 0
    engine, copies = Engine(policy), list[Engine]()
    for message, now in history:
        copies.append(through_bytes(engine, policy))
        engine.receive(message, now=now)
    for at, copy in enumerate(copies):
        engine = Engine(policy)
        for message, now in history[:at]:
            engine.receive(message, now=now)
        assert told(copy, history[at:], end=end) == told(engine, history[at:], end=end)


def leaves(value: Any) -> set[type]:
    if isinstance(value, list | tuple):
        return {kind for item in value for kind in leaves(item)}
    return {type(value)}


@every_rule
@briefly
@given(history=histories())
def test_an_engine_put_back_at_any_point_of_a_hostile_history_goes_on_the_same(
    give_up: GiveUp, history: History
) -> None:
    must_go_on_the_same(policy_for(give_up=give_up, limits=TIGHT), history[:12])


@every_discipline
@briefly
@given(rng=worlds())
def test_an_engine_put_back_at_any_point_of_an_honest_history_goes_on_the_same(
    discipline: str, rng: Random
) -> None:
    must_go_on_the_same(policy_for(discipline, give_up=GiveUp.RELEASE), story(discipline, rng))


@every_discipline
@briefly
@given(rng=worlds())
def test_a_snapshot_is_the_same_bytes_however_messages_were_batched_and_snapshots_taken(
    discipline: str, rng: Random
) -> None:
    policy = policy_for(discipline, give_up=rng.choice(list(GiveUp)))
    history = story(discipline, rng)
    together, alone = Engine(policy), Engine(policy)
    for now, batch in groupby(history, key=lambda step: step[1]):
        messages = [message for message, _ in batch]
        together.receive_all(messages, now=now)
        for message in messages:
            alone.receive(message, now=now)
            alone.snapshot()
    assert as_bytes(together) == as_bytes(alone)
    assert leaves(together.snapshot()) <= {*PLAIN, bool}


@every_discipline
@briefly
@given(rng=worlds())
def test_a_snapshot_says_the_same_after_it_was_put_back(discipline: str, rng: Random) -> None:
    policy = policy_for(discipline, give_up=rng.choice(list(GiveUp)))
    engine = Engine(policy)
    for message, now in story(discipline, rng):
        engine.receive(message, now=now)
        assert as_bytes(through_bytes(engine, policy)) == as_bytes(engine)


def test_how_far_a_member_was_seen_is_not_forgotten() -> None:
    policy = policy_for(limits=Limits(sequence_jump=10))
    engine = Engine(policy)
    engine.receive_all([say("a1"), say("a10", "b2"), say("a15", "a10"), say("b2", "a15")], now=0)
    for one in (engine, through_bytes(engine, policy)):
        assert delivered(one.receive(say("a20"), now=0)) == "a20"


def test_a_group_in_which_nothing_happened_is_put_back_too() -> None:
    policy = policy_for()
    assert as_bytes(through_bytes(group(), policy)) == as_bytes(group())


def test_a_busy_group_costs_a_dozen_bytes_for_each_recent_delivery() -> None:
    engine = group()
    width = Limits().recent_deliveries
    engine.receive_all([say(f"a{seq}") for seq in range(1, 1_001)], now=2**50)
    assert len(as_bytes(engine)) < 13 * width + 200


@pytest.mark.parametrize("damaged", [[], [FORMAT + 1], ["other"]])
def test_a_snapshot_of_another_format_is_refused_with_both_formats(damaged: list[Any]) -> None:
    with pytest.raises(SnapshotRefused, match=f"this engine reads format {FORMAT}") as refused:
        put_back(memory(), damaged)
    assert str(damaged[0] if damaged else "nothing") in str(refused.value)
    assert isinstance(refused.value, OperatorFault)


def test_taking_a_snapshot_does_not_change_what_comes_next() -> None:
    quiet, watched = group(), group()
    for message in (say("b1", "a1"), say("a2"), say("a1"), say("a2", content=b"other")):
        watched.snapshot()
        assert watched.receive(message, now=0) == quiet.receive(message, now=0)


def test_the_order_in_which_gaps_opened_leaves_no_trace() -> None:
    policy = policy_for()
    engine = Engine(policy)
    engine.receive_all([say("b1", "z1"), say("a1", "b9"), say("c1", "a5"), say("c2", "a3")], now=0)
    assert as_bytes(through_bytes(engine, policy)) == as_bytes(engine)
