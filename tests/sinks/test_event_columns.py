"""Many cloud events at once are the same as one by one."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.envelope import Envelope, decode, encode
from sinks.cloud_events import DELIVERED, OF_EACH, cloud_event, source_of
from sinks.event_columns import SENT, event_columns
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from tests.ingest.envelopes import envelopes
from tests.messages import wire

RAW_TOPIC = "pre.raw"
Event = tuple[bytes | None, ...]


def record(content: bytes, *, position: int = 7, marks: MarkBits = MarkBits.NONE) -> bytes:
    return encode_ordered(OrderedRecord(9, position, 1, Origin(5, 0, 3), marks, content))


def one_by_one(keys: list[bytes], records: list[bytes]) -> list[Event]:
    events = map(lambda *one: cloud_event(*one, raw_topic=RAW_TOPIC), keys, records)
    return [(event.value, *event.headers) for event in events]


def at_once(keys: list[bytes], records: list[bytes]) -> list[Event]:
    """As the sink sees them: what was not sent follows from the key."""
    values, columns = event_columns(keys, records, raw_topic=RAW_TOPIC)
    assert tuple(columns) == SENT
    stem = source_of(RAW_TOPIC, b"")
    events: list[Event] = []
    for at, key in enumerate(keys):
        sent = {name: column[at] if len(column) else None for name, column in columns.items()}
        known = {"ce_subject": key, "ce_source": stem + key, "ce_fate": DELIVERED}
        events.append((values[at], *(sent.get(name) or known.get(name) for name in OF_EACH)))
    return events


@given(st.lists(st.tuples(envelopes(), st.sampled_from([*MarkBits])), min_size=1, max_size=5))
def test_whatever_the_records_are(drawn: list[tuple[Envelope, MarkBits]]) -> None:
    keys = [envelope.group.encode() for envelope, _ in drawn]
    records = [record(encode(envelope), marks=marks) for envelope, marks in drawn]
    assert at_once(keys, records) == one_by_one(keys, records)


def test_plain_records_send_nothing_that_their_keys_say() -> None:
    records = [record(wire("ann", 3)), record(wire("bob", 1, ("ann", 3)), position=8)]
    _, columns = event_columns([b"g", b"g"], records, raw_topic=RAW_TOPIC)
    assert [name for name, column in columns.items() if not len(column)] == ["ce_source", "ce_fate"]
    assert at_once([b"g", b"g"], records) == one_by_one([b"g", b"g"], records)


def test_a_name_that_must_be_encoded_is_sent_beside_one_that_need_not() -> None:
    keys = [b"g", b"a/b"]
    records = [record(wire("ann", 1)), record(wire("ann", 1, group="a/b"))]
    assert at_once(keys, records) == one_by_one(keys, records)


def test_a_clock_beyond_the_year_9999_stays_a_text_of_time() -> None:
    times = (0, 253_402_300_799_999_999, bounds.SENT_AT_LAST)
    told = decode(wire("ann", 1))
    records = [record(encode(told._replace(sent_at=at))) for at in times]
    assert at_once([b"g"] * 3, records) == one_by_one([b"g"] * 3, records)
