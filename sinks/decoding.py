"""From records of the topics to rows of the tables.

The history query runs these functions in Python workers (`mapInArrow`), so that the layout of a
record and of an envelope is known in one language and one place. A record that is none of ours
becomes a row with nothing but its coordinates in the topic and the `problem`; it never stops the
query.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ingest.wire.envelope import decode
from ingest.wire.errors import WireError
from ingest.wire.stamps_codec import encode_stamps
from sinks.errors import RecordError
from sinks.identity import id_text
from sinks.records import MarkBits, OrderedRecord, decode_ordered, decode_quarantine
from sinks.tables import DELIVERIES, QUARANTINE, Table

if TYPE_CHECKING:
    import pyarrow as pa

PROBLEM = "problem"
RowFunction = Callable[[bytes, bytes], dict[str, Any]]


def delivery_row(_key: bytes, value: bytes) -> dict[str, Any]:
    """One row of `deliveries`."""
    record = decode_ordered(value)
    envelope = decode(record.envelope)
    parents = [id_text(parent) for parent in envelope.parents]
    _, stamps = encode_stamps(envelope.stamps)
    return {
        "group": envelope.group,
        "position": record.position,
        "id": f"{envelope.sender}:{envelope.seq}",
        "sender": envelope.sender,
        "seq": envelope.seq,
        "parent": parents[0] if parents else None,
        "also": parents[1:],
        "payload": envelope.payload,
        "stamps": stamps or None,
        "marks": mark_names(record),
        "sent_at": envelope.sent_at,
        "raw_partition": record.partition,
        "raw_offset": record.origin.offset,
        "raw_entry": record.origin.entry,
        "captured_at": record.origin.captured_at,
        "ordinal": record.ordinal,
    }


def quarantine_row(key: bytes, value: bytes) -> dict[str, Any]:
    """One row of `quarantine`."""
    record = decode_quarantine(value)
    return {
        "group": key.decode(errors="replace") or None,
        "reason": record.reason,
        "detail": record.detail,
        "captured": record.captured,
        "raw_partition": record.partition,
        "raw_offset": record.origin.offset,
        "raw_entry": record.origin.entry,
        "captured_at": record.origin.captured_at,
        "ordinal": record.ordinal,
    }


def mark_names(record: OrderedRecord) -> list[str]:
    """The marks of a delivery as words."""
    return [str(mark.name).lower() for mark in MarkBits if mark in record.marks]


ROW_FUNCTIONS: dict[str, RowFunction] = {
    DELIVERIES.name: delivery_row,
    QUARANTINE.name: quarantine_row,
}


def decoding_function(
    table: Table,
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for `mapInArrow`: key and value in; the table's columns and `problem` out."""
    row_of = ROW_FUNCTIONS[table.name]

    def decode_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        schema = arrow_schema(table)
        for batch in batches:
            keys, values = batch.column("key").to_pylist(), batch.column("value").to_pylist()
            rows = [
                _row_or_problem(row_of, key, value) for key, value in zip(keys, values, strict=True)
            ]
            yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return decode_batches


def _row_or_problem(
    row_of: RowFunction, maybe_key: bytes | None, maybe_value: bytes | None
) -> dict[str, Any]:
    try:
        return row_of(maybe_key or b"", maybe_value or b"")
    except (RecordError, WireError) as error:
        return {PROBLEM: str(error)}


def decoded_schema(table: Table) -> str:
    """What `decoding_function` gives, as Spark SQL writes it."""
    return f"{table.schema}, {PROBLEM} STRING"


def arrow_schema(table: Table) -> pa.Schema:
    """The same as an Arrow schema."""
    import pyarrow as pa

    kinds = {
        "STRING": pa.string(),
        "BIGINT": pa.int64(),
        "INT": pa.int32(),
        "BINARY": pa.binary(),
        "ARRAY<STRING>": pa.list_(pa.string()),
        "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    }
    fields = [(column.name, kinds[column.kind]) for column in table.columns]
    return pa.schema([*fields, (PROBLEM, pa.string())])
