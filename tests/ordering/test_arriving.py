"""Laws of arriving: a bad message gets a reason and harms nobody, a known one is recognised."""

from __future__ import annotations

import pytest

from ordering.events import Duplicate, Quarantined, Reason
from ordering.policy import Limits
from ordering.values import Message
from tests.ordering.memories import FAR
from tests.ordering.messages import delivered, group, ident, quarantined, say

LIMITS = Limits(
    held_per_sender=2,
    held_per_group=3,
    held_reserve=1,
    parents=2,
    payload_bytes=4,
    sequence_jump=10,
)


@pytest.mark.parametrize(
    ("message", "reason"),
    [
        (say("a0"), Reason.SEQUENCE_INVALID),
        (Message(ident("a1")._replace(seq=-FAR), (), b""), Reason.SEQUENCE_INVALID),
        (say("a1", content=b"12345"), Reason.PAYLOAD_TOO_LARGE),
        (say("a1", "b1", "c1", "d1"), Reason.TOO_MANY_PARENTS),
        (say("a1", "a1"), Reason.SELF_PARENT),
        (say("a1", "b1", "a1"), Reason.SELF_PARENT),
        (say("a11", content=b""), Reason.SEQUENCE_JUMP),
        (say(f"a{FAR}", content=b""), Reason.SEQUENCE_JUMP),
    ],
    ids=lambda value: str(value) if isinstance(value, Reason) else "",
)
def test_what_is_out_of_bounds_is_quarantined_and_the_id_stays_free(
    message: Message, reason: Reason
) -> None:
    engine = group(limits=LIMITS)
    assert engine.receive(message, now=0) == [Quarantined(message, reason)]
    assert engine.held_count == engine.delivered_count == 0
    assert delivered(engine.receive(say("a1"), now=0)) == "a1"


@pytest.mark.parametrize(
    "message", [say("a1", content=b"1234"), say("a1", content=b""), say("a10", content=b"")]
)
def test_what_is_just_within_bounds_is_delivered(message: Message) -> None:
    engine = group(limits=LIMITS)
    engine.receive(message, now=0)
    assert engine.delivered_count == 1


@pytest.mark.parametrize("first", [say("a1"), say("a1", "z1")], ids=["delivered", "held"])
def test_a_copy_is_a_duplicate_and_other_content_an_equivocation(first: Message) -> None:
    engine = group()
    engine.receive(first, now=0)
    other = first._replace(content=b"other")
    assert engine.receive(first, now=0) == [Duplicate(first)]
    assert engine.receive(other, now=0) == [Quarantined(other, Reason.EQUIVOCATION)]
    assert engine.delivered_count + engine.held_count == 1


def test_where_a_message_was_captured_does_not_make_it_another() -> None:
    engine = group()
    engine.receive(say("a1"), now=0)
    again = say("a1")._replace(origin=(7, 8, 9))
    assert engine.receive(again, now=0) == [Duplicate(again)]


def test_a_cycle_is_quarantined_whole_as_soon_as_it_closes() -> None:
    engine = group()
    engine.receive_all([say("a1", "c1"), say("b1", "a1"), say("d1", "b1")], now=0)
    events = engine.receive(say("c1", "b1"), now=0)
    assert quarantined(events) == dict.fromkeys(("c1", "a1", "b1", "d1"), "cycle")
    assert engine.held_count == 0
    assert engine.missing() == []


def test_a_sender_fills_its_own_room_and_its_reserve_is_kept_when_the_group_is_full() -> None:
    engine = group(limits=LIMITS)
    held = [say("a1", "z1"), say("a2", "z1"), say("b1", "z1")]
    assert quarantined(engine.receive_all(held, now=0)) == {}
    full = engine.receive_all([say("a3", "z1"), say("b2", "z1"), say("c1", "z1")], now=0)
    assert quarantined(full) == {"a3": "held_by_sender_full", "b2": "held_by_group_full"}
    assert engine.held_count == 4
    assert delivered(engine.receive(say("z1"), now=0)) == "z1 a1 a2 b1 c1"


def test_a_full_group_still_delivers_what_need_not_wait() -> None:
    engine = group(limits=Limits(held_per_sender=0, held_per_group=0, held_reserve=0))
    events = engine.receive_all([say("a1"), say("b1", "a1"), say("c1", "z1")], now=0)
    assert delivered(events) == "a1 b1"
    assert quarantined(events) == {"c1": "held_by_sender_full"}


def test_a_message_below_the_settled_gaps_may_be_a_copy_or_not_and_is_set_aside() -> None:
    engine = group(limits=Limits(gaps_per_member=0))
    engine.receive_all([say("a1"), say("a3")], now=0)
    engine.advance(FAR)
    assert quarantined(engine.receive(say("a2"), now=FAR)) == {"a2": "settled"}
    assert delivered(engine.receive(say("a4", "a2"), now=FAR)) == "a4"
