"""The fast way to a row of `deliveries` gives what the careful way gives, or nothing."""

from __future__ import annotations

from typing import Any

from hypothesis import given

from ingest.wire.envelope import Envelope, Kind, encode
from sinks.decoding import arrow_schema, delivery_row
from sinks.delivery_columns import PLAIN_COLUMNS, plain_row
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from sinks.tables import DELIVERIES
from tests.ingest.envelopes import envelopes
from tests.messages import wire


def record(envelope: bytes, marks: MarkBits = MarkBits.NONE) -> bytes:
    return encode_ordered(OrderedRecord(9, 7, 1, Origin(5, 2, 3), marks, envelope))


def as_row(values: tuple[Any, ...]) -> dict[str, Any]:
    row = dict(zip(PLAIN_COLUMNS, values, strict=True))
    return row | {"also": [], "marks": []}


@given(envelopes())
def test_a_plain_record_is_the_row_that_the_careful_way_gives(envelope: Envelope) -> None:
    key, value = envelope.group.encode(), record(encode(envelope))
    is_plain = (
        envelope.kind is Kind.MESSAGE
        and envelope.stamps is None
        and not envelope.tag
        and len(envelope.parents) < 2
    )
    maybe_row = plain_row(key, value)
    assert (maybe_row is not None) == is_plain
    if maybe_row is not None:
        others = dict.fromkeys(column.name for column in DELIVERIES.columns)
        assert others | as_row(maybe_row) == others | delivery_row(key, value)


def test_marks_damage_and_another_key_are_for_the_careful_way() -> None:
    value = record(wire("a", 1))
    assert plain_row(b"g", value) is not None
    assert plain_row(b"h", value) is None
    assert plain_row(b"g", record(wire("a", 1), MarkBits.LATE)) is None
    strange = record(wire("a", 1).replace(b"g", b"\xff", 1))
    assert plain_row(b"\xff", strange) is None
    for damaged in (b"", value[:-1], value[:40], b"x" + value[1:]):
        assert plain_row(b"g", damaged) is None


def test_its_columns_are_columns_of_the_table() -> None:
    assert set(PLAIN_COLUMNS) < set(arrow_schema(DELIVERIES).names)
