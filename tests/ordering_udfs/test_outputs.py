"""Records are numbered in the order in which they are given."""

from __future__ import annotations

from ordering.events import (
    Delivered,
    Duplicate,
    GapOpened,
    Held,
    Mark,
    Quarantined,
    Reason,
    Released,
)
from ordering.requirement import Measure, UpTo
from ordering.values import MemberId, Message, MessageId
from ordering_udfs.outputs import Outputs
from ordering_udfs.shard_state import ShardState
from sinks.records import MarkBits, decode_ordered, decode_quarantine
from sinks.waits import Sought, WaitStatus, decode_gap, decode_wait

A = MessageId(MemberId("a#1"), 1)


def message(offset: int) -> Message:
    return Message(A, (), b"content", None, (offset, 0, 77))


def outputs() -> Outputs:
    return Outputs(ShardState(3, delivered=10, quarantined=20, waits=30, tick_offset=5, now=9))


def test_each_topic_counts_for_itself() -> None:
    given = outputs()
    for event in (Delivered(1, message(6)), Quarantined(message(7), Reason.CYCLE)) * 2:
        given.tell(b"g", event)
    given.tell(b"g", Duplicate(message(8)))
    assert [decode_ordered(value).ordinal for value in given.ordered.values] == [11, 12]
    assert [decode_quarantine(value).ordinal for value in given.quarantine.values] == [21, 22]
    assert given.ordered.keys == [b"g", b"g"]
    assert not given.waits.values


def test_marks_become_bits() -> None:
    given = outputs()
    given.tell(b"g", Delivered(1, message(6), frozenset({Mark.LATE, Mark.PARENT_MISSING})))
    assert decode_ordered(given.ordered.values[0]).marks == MarkBits.LATE | MarkBits.PARENT_MISSING


def test_only_what_was_captured_before_the_last_tick_had_a_wait_to_end() -> None:
    given = outputs()
    given.tell(b"g", Released(A, Reason.GAVE_UP))
    given.tell(b"g", Delivered(1, message(4)))
    given.tell(b"g", Delivered(2, message(3)))
    given.tell(b"g", Quarantined(message(2), Reason.CYCLE))
    given.tell(b"g", Held(message(6), A))
    given.tell(b"g", Held(message(1), A))
    told = [decode_wait(value) for value in given.waits.values]
    assert [(one.ordinal, one.status) for one in told] == [
        (31, WaitStatus.RELEASED),
        (32, WaitStatus.DELIVERED),
        (33, WaitStatus.QUARANTINED),
        (34, WaitStatus.HELD),
    ]


def test_a_gap_says_what_is_missing_and_how_it_is_counted() -> None:
    given = outputs()
    given.tell(b"g", GapOpened(UpTo(MemberId("a#1"), 4, Measure.CAPTURED)))
    gap = decode_gap(given.gaps.values[0])
    assert (gap.partition, gap.group, gap.at) == (3, "g", 9)
    assert gap.sought == Sought("a#1:4", "captured")
