"""One value for a delivered message, from the topic or from the table."""

from __future__ import annotations

from sinks.consumer_delivery import delivery_of_record
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from tests.messages import wire


def test_a_delivery_says_what_was_sent_and_where_it_was_captured() -> None:
    envelope = wire("bob", 7, ("ann", 3), ("cat", 1), group="dev", payload=b"I do\xff")
    record = OrderedRecord(5, 4, 1, Origin(90, 2, 1_234), MarkBits.LATE, envelope)
    delivery = delivery_of_record(b"dev", encode_ordered(record))
    assert (delivery.group, delivery.position, delivery.ordinal) == ("dev", 4, 5)
    assert (delivery.id, delivery.sender, delivery.seq) == ("bob#1:7", "bob#1", 7)
    assert delivery.parents == ("ann#1:3", "cat#1:1")
    assert delivery.parent == "ann#1:3"
    assert delivery.text == "I do\N{REPLACEMENT CHARACTER}"
    assert delivery.marks == ("late",)
    assert (delivery.partition, delivery.offset, delivery.entry) == (1, 90, 2)
    assert (delivery.sent_at, delivery.captured_at) == (7_000_000, 1_234)


def test_a_root_has_no_parent() -> None:
    record = OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, wire("ann", 1))
    assert delivery_of_record(b"g", encode_ordered(record)).parent is None
