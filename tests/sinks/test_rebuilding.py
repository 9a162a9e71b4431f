"""Laws of the way back: a row gives the bytes that were captured."""

from __future__ import annotations

import pyarrow as pa
import pytest
from hypothesis import given, settings

from ingest.wire.bounds import SENT_AT_LAST
from ingest.wire.envelope import Envelope, Kind, encode
from sinks.decoding import arrow_schema, delivery_row
from sinks.errors import RecordError
from sinks.rebuilding import COLUMNS, envelope_bytes
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from sinks.tables import DELIVERIES
from tests.ingest.envelopes import envelopes, plain


def row_of(captured: bytes) -> dict[str, object]:
    """The row of a captured envelope, as a table gives it back."""
    record = OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, captured)
    row = delivery_row(b"", encode_ordered(record))
    schema = arrow_schema(DELIVERIES)
    batch = pa.RecordBatch.from_pylist([row], schema=schema)
    whole = batch.set_column(
        schema.get_field_index("sent_at"), "sent_at", batch.column("sent_at").cast(pa.int64())
    )
    found: dict[str, object] = whole.select(list(COLUMNS)).to_pylist()[0]
    return found


@given(envelopes())
@settings(deadline=None)
def test_a_row_gives_the_bytes_that_were_captured(envelope: Envelope) -> None:
    captured = encode(envelope._replace(kind=Kind.MESSAGE))
    assert envelope_bytes(row_of(captured)) == captured


def test_a_tag_a_seal_and_a_clock_beyond_all_years_come_back() -> None:
    envelope = plain()._replace(key_id=9, tag=b"t" * 64, is_sealed=True, sent_at=SENT_AT_LAST)
    captured = encode(envelope)
    assert envelope_bytes(row_of(captured)) == captured


def test_stamps_without_their_kind_are_refused_and_not_guessed() -> None:
    row = row_of(encode(plain())) | {"stamps": b"\x90"}
    with pytest.raises(RecordError, match="kind of stamps"):
        envelope_bytes(row)
