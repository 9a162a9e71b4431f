"""A cloud event says what the record says, and gives the record back byte for byte."""

from __future__ import annotations

import pytest
from hypothesis import given

from ingest.wire.envelope import Envelope, encode
from sinks.cloud_events import FACTS, OF_EACH, cloud_event, envelope_form, whole_record
from sinks.errors import RecordError
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from tests.ingest.envelopes import envelopes
from tests.messages import wire


def record(content: bytes, marks: MarkBits = MarkBits.NONE) -> bytes:
    return encode_ordered(OrderedRecord(9, 7, 1, Origin(5, 0, 3), marks, content))


def headers(content: bytes, marks: MarkBits = MarkBits.NONE) -> dict[str, bytes | None]:
    event = cloud_event(b"g/1", record(content, marks), raw_topic="precede.raw")
    return dict(zip(OF_EACH, event.headers, strict=True))


@given(envelopes())
def test_the_payload_and_the_facts_give_the_record_back(envelope: Envelope) -> None:
    whole = record(encode(envelope))
    event = cloud_event(envelope.group.encode(), whole, raw_topic="raw")
    assert event.value == envelope.payload
    facts = dict(zip(OF_EACH, event.headers, strict=True))[FACTS]
    assert whole_record(event.value, facts or b"") == whole


def test_every_header_says_what_the_specification_asks() -> None:
    found = headers(wire("ann", 3, ("bob", 2), group="g/1", payload=b"hi"))
    assert found.pop(FACTS)
    assert found == {
        "ce_source": b"/precede.raw/g%2F1",
        "ce_id": b"ann#1:3",
        "ce_time": b"1970-01-01T00:00:03.000000Z",
        "ce_subject": b"g/1",
        "ce_sequence": b"7",
        "ce_fate": b"delivered",
        "ce_parent": b"bob#1:2",
    }


def test_a_root_has_no_parent_and_a_merge_has_several() -> None:
    assert headers(wire("ann", 3))["ce_parent"] is None
    assert headers(wire("ann", 3, ("b", 1), ("c", 9)))["ce_parent"] == b"b#1:1 c#1:9"


def test_marks_are_words_of_the_fate() -> None:
    marks = MarkBits.LATE | MarkBits.PARENT_MISSING
    assert headers(wire("ann", 3), marks)["ce_fate"] == b"delivered late parent_missing"


def test_what_was_changed_on_its_way_is_refused() -> None:
    event = cloud_event(b"g", record(wire("ann", 3)), raw_topic="raw")
    facts = event.headers[OF_EACH.index(FACTS)] or b""
    for value, header in ((event.value + b"x", facts), (event.value, facts[:-1]), (b"", b"")):
        with pytest.raises(RecordError):
            whole_record(value, header)


def test_every_reader_gets_the_envelope_form_and_sees_what_is_damaged() -> None:
    whole = record(wire("ann", 3))
    event = cloud_event(b"g", whole, raw_topic="raw")
    named = dict(zip(OF_EACH, event.headers, strict=True))
    assert envelope_form(whole, None) == envelope_form(whole, [("other", b"1")]) == whole
    assert envelope_form(event.value, named) == whole
    assert envelope_form(event.value, list(named.items())) == whole
    assert envelope_form(b"changed", named) == b"changed"
