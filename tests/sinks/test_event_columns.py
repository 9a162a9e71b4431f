"""Many cloud events at once are the same as one by one."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.envelope import Envelope, decode, encode
from sinks import event_columns
from sinks.batch_writing import Records, write_batches
from sinks.cloud_events import OF_EACH, PARENT, SAME_FOR_ALL, cloud_event
from sinks.event_columns import cloud_events
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from tests.ingest.envelopes import envelopes
from tests.messages import wire
from tests.sinks.record_bytes import read_by_client

RAW_TOPIC = "pre.raw"
Event = tuple[bytes | None, dict[str, bytes | None]]


def record(content: bytes, *, position: int = 7, marks: MarkBits = MarkBits.NONE) -> bytes:
    return encode_ordered(OrderedRecord(9, position, 1, Origin(5, 0, 3), marks, content))


def one_by_one(keys: list[bytes], records: list[bytes]) -> list[Event]:
    """The events with all headers that have a value."""
    found: list[Event] = []
    for key, whole in zip(keys, records, strict=True):
        event = cloud_event(key, whole, raw_topic=RAW_TOPIC)
        named = zip(OF_EACH, event.headers, strict=True)
        headers = {name: value for name, value in named if value is not None}
        found.append((event.value, {**SAME_FOR_ALL, **headers}))
    return found


def at_once(keys: list[bytes], records: list[bytes]) -> list[Event]:
    """As a consumer of the topic reads them."""
    values, blocks = cloud_events(keys, records, raw_topic=RAW_TOPIC)
    assert len(values) == len(blocks) == len(keys)
    events: list[Event] = []
    for batch in write_batches(Records(keys, values, blocks), at_ms=0):
        for stored in read_by_client(batch.content):
            headers = dict(stored.headers)
            assert len(headers) == len(stored.headers)
            events.append((stored.value, headers))
    return events


@given(st.lists(st.tuples(envelopes(), st.sampled_from([*MarkBits])), max_size=5))
def test_whatever_the_records_are(drawn: list[tuple[Envelope, MarkBits]]) -> None:
    keys = [envelope.group.encode() for envelope, _ in drawn]
    records = [record(encode(envelope), marks=marks) for envelope, marks in drawn]
    assert at_once(keys, records) == one_by_one(keys, records)


def test_plain_records_and_others_keep_their_order() -> None:
    late = MarkBits.LATE | MarkBits.PARENT_MISSING
    records = [
        record(wire("ann", 3)),
        record(wire("eve", 4, ("bob", 1), ("ann", 3)), position=8),
        record(wire("bob", 1, ("ann", 3)), position=9),
        record(wire("ann", 4), position=10, marks=late),
        record(wire("bob", 2, payload=b"p" * 100_000), position=11),
    ]
    events = at_once([b"g"] * 5, records)
    assert events == one_by_one([b"g"] * 5, records)
    assert [headers["ce_sequence"] for _, headers in events] == [b"7", b"8", b"9", b"10", b"11"]
    assert [headers.get(PARENT) for _, headers in events[:3]] == [
        None,
        b"bob#1:1 ann#1:3",
        b"ann#1:3",
    ]


def test_pieces_follow_one_another_and_batches_reach_across_them(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(event_columns, "TOGETHER", 2)
    records = [record(wire("ann", seq, payload=b"%d" % seq), position=seq) for seq in range(1, 8)]
    keys = [b"g"] * len(records)
    assert at_once(keys, records) == one_by_one(keys, records)


def test_each_group_has_its_own_source_and_subject() -> None:
    keys = [b"g", b"a/b", b"g", "\u00e4".encode()]
    records = [record(wire("ann", 1, group=key.decode())) for key in keys]
    events = at_once(keys, records)
    assert events == one_by_one(keys, records)
    assert [headers["ce_subject"] for _, headers in events] == keys


def test_a_clock_beyond_the_year_9999_stays_a_text_of_time() -> None:
    times = (0, 253_402_300_799_999_999, bounds.SENT_AT_LAST)
    told = decode(wire("ann", 1))
    records = [record(encode(told._replace(sent_at=at))) for at in times]
    assert at_once([b"g"] * 3, records) == one_by_one([b"g"] * 3, records)


def test_no_records_are_no_events() -> None:
    values, blocks = cloud_events([], [], raw_topic=RAW_TOPIC)
    assert (list(values), list(blocks)) == ([], [])
