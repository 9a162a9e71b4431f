"""Laws of inter-object order: by ids and vectors, and only where requests conflict or answer."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ordering.disciplines.objects import requires
from ordering.engine import Engine
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.requirement import Measure, UpTo
from ordering.stamps import ObjectStamps
from ordering.values import MemberId, Message
from tests.ordering.messages import delivered, quarantined, say

POLICY = GroupPolicy("objects", conflicts=frozenset({("write", "write"), ("read", "write")}))
ALICE, BOB = MemberId("a#1"), MemberId("b#1")


def sent(
    name: str,
    iseq: int,
    operation: str = "write",
    *,
    target: str = "x",
    knows_alice: tuple[int, int, int] | None = None,
    is_response: bool = False,
) -> Message:
    """A message of compatibility id 0, whose vector may know something of alice."""
    known = knows_alice is not None
    stamps = ObjectStamps(
        0,
        iseq,
        is_response=is_response,
        operation=operation,
        targets=(target,) if target else (),
        members=(ALICE,) if known else (),
        vector=(knows_alice,) if knows_alice is not None else (),
    )
    return say(name, stamps=stamps)


def order(*messages: Message) -> str:
    return delivered(Engine(POLICY).receive_all(messages, now=0))


def test_what_the_vector_speaks_of_must_be_captured_and_what_precedes_delivered() -> None:
    captured = (UpTo(BOB, 1, Measure.CAPTURED), UpTo(ALICE, 3, Measure.CAPTURED))
    preceding = (UpTo(BOB, 1, Measure.PRECEDING), UpTo(ALICE, 3, Measure.PRECEDING))
    assert requires(sent("b2", 2, knows_alice=(0, 3, 3))) == captured + preceding


def test_a_response_is_ordered_after_its_own_sender_alone() -> None:
    captured = (UpTo(BOB, 1, Measure.CAPTURED), UpTo(ALICE, 3, Measure.CAPTURED))
    response = sent("b2", 2, knows_alice=(0, 3, 3), is_response=True)
    assert requires(response) == (*captured, UpTo(BOB, 1, Measure.PRECEDING))
    first = sent("b1", 1, knows_alice=(0, 3, 3), is_response=True)
    assert requires(first) == (UpTo(ALICE, 3, Measure.CAPTURED),)


def test_a_first_message_with_an_empty_vector_or_no_stamps_requires_nothing() -> None:
    assert requires(sent("a1", 1)) == ()
    assert requires(say("a9")) == ()


def test_of_one_sender_the_lower_id_comes_first() -> None:
    assert order(sent("a2", 2), sent("a1", 1)) == "a1 a2"


def test_a_conflicting_request_that_was_known_comes_first() -> None:
    held = sent("a2", 2)
    after = sent("b1", 1, knows_alice=(0, 2, 2))
    assert order(held, after, sent("a1", 1)) == "a1 a2 b1"


def blocked_alice() -> Engine:
    """Alice's second message, a write to x, waits for carol, of whom nothing has come."""
    engine = Engine(POLICY)
    stamps = ObjectStamps(0, 2, False, "ucast", "write", ("x",), ("c#1",), ((0, 1, 1),))
    engine.receive_all([sent("a1", 1), say("a2", stamps=stamps)], now=0)
    assert engine.held_count == 1
    return engine


def test_a_request_waits_for_a_held_one_that_conflicts_at_a_common_object() -> None:
    engine = blocked_alice()
    engine.receive(sent("b1", 1, knows_alice=(0, 2, 2)), now=0)
    assert engine.held_count == 2
    assert delivered(engine.receive(sent("c1", 1), now=0)) == "c1 a2 b1"


def test_of_one_sender_an_equal_id_does_not_wait_for_a_held_one_and_a_higher_does() -> None:
    assert delivered(blocked_alice().receive(sent("a3", 2), now=0)) == "a3"
    assert delivered(blocked_alice().receive(sent("a3", 3), now=0)) == ""


def test_a_request_does_not_wait_for_one_that_is_no_matter_of_its() -> None:
    for unrelated in (
        sent("b1", 1, "read", knows_alice=(0, 2, 2)),
        sent("b1", 1, target="y", knows_alice=(0, 2, 2)),
        sent("b1", 1, knows_alice=(0, 1, 2)),
        sent("b1", 1, knows_alice=(0, 2, 2), is_response=True),
    ):
        assert delivered(blocked_alice().receive(unrelated, now=0)) == "b1"


def test_a_request_that_names_no_object_may_be_for_any() -> None:
    engine = blocked_alice()
    assert delivered(engine.receive(sent("b1", 1, target="", knows_alice=(0, 2, 2)), now=0)) == ""


def test_a_vector_is_judged_only_when_all_it_speaks_of_was_captured() -> None:
    engine = Engine(POLICY)
    assert delivered(engine.receive(sent("b1", 1, knows_alice=(0, 2, 2)), now=0)) == ""
    assert delivered(engine.receive(sent("a1", 1), now=0)) == "a1"
    assert delivered(engine.receive(sent("a2", 2), now=0)) == "a2 b1"


@pytest.mark.parametrize("give_up", list(GiveUp))
def test_nobody_waits_for_a_retired_object(give_up: GiveUp) -> None:
    limits = Limits(incarnations_per_name=1)
    after_us = 0 if give_up is GiveUp.HOLD else 1
    engine = Engine(replace(POLICY, give_up=give_up, after_us=after_us, limits=limits))
    engine.receive_all([sent("a2", 2), sent("a1", 1), sent("a.2:1", 1)], now=0)
    assert delivered(engine.receive(sent("b1", 1, knows_alice=(0, 2, 2)), now=0)) == "b1"


def known(name: str, *members: str) -> Message:
    """A write to x, the first of its sender, that counts the first message of others."""
    vector = tuple((0, 1, 1) for _ in members)
    return say(name, stamps=ObjectStamps(0, 1, False, "ucast", "write", ("x",), members, vector))


def test_a_second_copy_of_a_message_of_a_ring_waits_like_any_that_lacks_something() -> None:
    ring = [known("a1", "b#1"), known("b1", "c#1"), known("c1", "a#1")]
    engine = Engine(POLICY)
    events = engine.receive_all(ring, now=0)
    assert quarantined(events) == {"a1": "cycle", "b1": "cycle", "c1": "cycle"}
    for message in ring[:2]:
        assert delivered(engine.receive(message, now=0)) == ""
    assert engine.held_count == 2


def test_whoever_knows_a_later_message_of_an_object_comes_after_its_earlier_ones() -> None:
    """The paper compares whole vectors; the engine asks for the sender's entry alone (see docs)."""
    engine = Engine(POLICY)
    waits = ObjectStamps(0, 1, False, "ucast", "write", ("x",), ("c#1",), ((0, 1, 1),))
    engine.receive_all([say("a1", stamps=waits), sent("a2", 2, "read")], now=0)
    engine.receive(sent("b1", 1, knows_alice=(0, 2, 2)), now=0)
    assert engine.held_count == 3
    assert delivered(engine.receive(sent("c1", 1), now=0)) == "c1 a1 a2 b1"


def test_what_follows_a_message_that_was_refused_meanwhile_is_refused_too() -> None:
    engine = Engine(replace(POLICY, give_up=GiveUp.QUARANTINE, after_us=10))
    engine.receive(sent("b1", 1, knows_alice=(0, 2, 2)), now=0)
    engine.receive(sent("b2", 2, knows_alice=(0, 1, 1)), now=5)
    events = engine.receive(sent("a1", 1), now=10)
    assert quarantined(events) == {"b1": "gave_up", "b2": "gave_up"}
    assert engine.held_count == 0
