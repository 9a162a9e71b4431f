"""What the page knows, in bounds."""

from __future__ import annotations

import pytest

from console.web.model import SEALED_TEXT, Bounds, Model, text_of
from ingest.wire.envelope import decode
from sinks.records import Counters, MarkBits, OrderedRecord, Origin
from sinks.waits import GapRecord, GapStatus, Sought, WaitRecord, WaitStatus
from tests.messages import wire


def delivery(number: int, *, group: str = "g", captured_at: int = 0) -> OrderedRecord:
    envelope = wire("a", number, group=group)
    origin = Origin(number, 0, captured_at or number)
    return OrderedRecord(number, number, 0, origin, MarkBits.NONE, envelope)


def wait(number: int, name: str, waiting_for: str | None) -> WaitRecord:
    status = WaitStatus.HELD if waiting_for else WaitStatus.DELIVERED
    sought = None if waiting_for is None else Sought(waiting_for)
    return WaitRecord(number, 0, Origin(number, 0, 5), name, status, sought, 7)


def updated(model: Model, *, after: int = 0, version: int = 0) -> list[int]:
    found = model.update("g", after_ordinal=after, after_version=version, at_most=100)
    return [message.ordinal for message in found.messages]


def test_a_reader_gets_what_is_behind_the_ordinal_it_has_seen() -> None:
    model = Model()
    for number in range(1, 6):
        model.deliver(delivery(number))
    assert updated(model) == [1, 2, 3, 4, 5]
    assert updated(model, after=3) == [4, 5]
    assert model.update("none", after_ordinal=0, after_version=0, at_most=1).messages == []


def test_the_oldest_of_all_groups_goes_first() -> None:
    model = Model(Bounds(messages=3))
    model.deliver(delivery(1))
    model.deliver(delivery(2, group="h"))
    model.deliver(delivery(3))
    model.deliver(delivery(4))
    assert updated(model) == [3, 4]
    model.deliver(delivery(5))
    assert model.find("h", "a#1:2") is None


def test_a_message_was_delivered_when_the_last_that_it_needed_was_captured() -> None:
    model = Model()
    model.deliver(delivery(1, captured_at=90))
    model.deliver(delivery(2, captured_at=40))
    found = model.find("g", "a#1:2")
    assert found is not None
    assert (found.captured_at, found.delivered_at) == (40, 90)


def test_what_is_held_is_told_whole_to_a_new_reader_and_by_changes_to_one_that_knows() -> None:
    model = Model()
    model.wait("g", wait(1, "b#1:1", "a#1:1"))
    first = model.update("g", after_ordinal=0, after_version=0, at_most=9)
    assert first.maybe_all_held is not None
    assert [held.id for held in first.maybe_all_held] == ["b#1:1"]
    model.wait("g", wait(2, "b#1:1", None))
    then = model.update("g", after_ordinal=0, after_version=first.version, at_most=9)
    assert then.maybe_all_held is None
    assert [(change.id, change.status) for change in then.changes] == [("b#1:1", "delivered")]
    assert model.held("g") == {}


def test_what_a_held_message_says_is_read_once_and_stays_with_it() -> None:
    model = Model()
    model.wait("g", wait(1, "b#1:1", "a#1:1"))
    assert model.unread(5) == [("g", "b#1:1", (0, 1, 0))]
    model.describe("g", "b#1:1", wire("b", 1, ("a", 1), payload=b"<b>hello"))
    assert model.unread(5) == []
    model.wait("g", wait(2, "b#1:1", "c#1:1"))
    held = model.held("g")["b#1:1"]
    assert (held.maybe_text, held.parents, held.sought.waiting_for) == (
        "<b>hello", ("a#1:1",), "c#1:1",
    )  # fmt: skip


def test_a_record_that_is_gone_or_no_message_leaves_the_text_empty() -> None:
    model = Model()
    for number, content in ((1, None), (2, b"junk")):
        model.wait("g", wait(number, f"b#1:{number}", "a#1:1"))
        model.describe("g", f"b#1:{number}", content)
    assert [held.maybe_text for held in model.held("g").values()] == ["", ""]
    model.describe("nobody", "b#1:1", None)


def test_more_held_messages_than_there_is_room_for_are_counted() -> None:
    model = Model(Bounds(held=2))
    for number in range(1, 5):
        model.wait("g", wait(number, f"b#1:{number}", "a#1:1"))
    assert model.groups(now_second=0)[0][0]["held"] == 4
    assert len(model.held("g")) == 2
    for number in range(1, 5):
        model.wait("g", wait(10 + number, f"b#1:{number}", None))
    assert model.groups(now_second=0)[0][0]["held"] == 0


def test_the_group_that_was_silent_longest_goes_when_there_are_too_many() -> None:
    model = Model(Bounds(groups=2))
    for number, group in enumerate(("x", "y", "x", "z"), start=1):
        model.deliver(delivery(number, group=group))
    listed, count = model.groups(now_second=0)
    assert [one["group"] for one in listed] == ["z", "x"]
    assert count == 2


def test_counters_and_gaps_are_the_newest() -> None:
    model = Model()
    model.count(Counters(1, captured=5), seen_at=3)
    model.count(Counters(0, captured=1), seen_at=2)
    model.count(Counters(1, captured=6), seen_at=4)
    assert [(one.partition, one.captured, at) for one, at in model.counters()] == [
        (0, 1, 2), (1, 6, 4),
    ]  # fmt: skip
    model.gap(GapRecord(0, "g", GapStatus.OPEN, Sought("a#1:1"), 1))
    model.gap(GapRecord(0, "g", GapStatus.ABANDONED, Sought("a#1:1"), 2))
    assert [one["status"] for one in model.gap_news()] == ["abandoned", "open"]
    assert model.groups(now_second=0)[0][0]["abandoned"] == 1


def test_bytes_that_are_no_envelope_change_nothing() -> None:
    model = Model()
    model.deliver(OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, b"junk"))
    assert model.groups(now_second=0) == ([], 0)


@pytest.mark.parametrize(("at_most", "expected"), [(3, ("a 1", False)), (2, ("a ", True))])
def test_a_long_text_is_cut_and_says_so(at_most: int, expected: tuple[str, bool]) -> None:
    assert text_of(decode(wire("a", 1)), at_most) == expected


def test_a_sealed_payload_is_not_shown_as_if_it_were_text() -> None:
    assert text_of(decode(wire("a", 1))._replace(is_sealed=True), 9) == (SEALED_TEXT, False)
