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
from sinks.cloud_events import FACTS, envelope_form
from sinks.delivery_columns import plain_columns
from sinks.errors import RecordError
from sinks.identity import id_text
from sinks.membership import membership_row
from sinks.records import MarkBits, OrderedRecord, decode_ordered, decode_quarantine
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, WAITS, Table
from sinks.waits import decode_wait

if TYPE_CHECKING:
    import pyarrow as pa

PROBLEM = "problem"
RECORD_COLUMNS = ("key", "value", FACTS)
"""What of a topic's record the functions take: the last is the header of cloud events, or NULL."""
MOST_ROWS = 10_000
RowFunction = Callable[[bytes, bytes], dict[str, Any]]


def delivery_row(_key: bytes, value: bytes) -> dict[str, Any]:
    """One row of `deliveries`."""
    record = decode_ordered(value)
    envelope = decode(record.envelope)
    parents = [id_text(parent) for parent in envelope.parents]
    row: dict[str, Any] = {
        "group": envelope.group,
        "position": record.position,
        "id": f"{envelope.sender}:{envelope.seq}",
        "sender": envelope.sender,
        "seq": envelope.seq,
        "parent": parents[0] if parents else None,
        "also": parents[1:],
        "payload": envelope.payload,
        "stamps": None,
        "stamps_kind": None,
        "key_id": envelope.key_id if envelope.tag else None,
        "tag": envelope.tag or None,
        "is_sealed": envelope.is_sealed or None,
        "marks": mark_names(record),
        "sent_at": envelope.sent_at,
        "raw_partition": record.partition,
        "raw_offset": record.origin.offset,
        "raw_entry": record.origin.entry,
        "captured_at": record.origin.captured_at,
        "ordinal": record.ordinal,
    }
    if envelope.stamps is not None:
        row["stamps_kind"], row["stamps"] = encode_stamps(envelope.stamps)
    return row


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


def wait_row(key: bytes, value: bytes) -> dict[str, Any]:
    """One row of `waits`."""
    record = decode_wait(value)
    row: dict[str, Any] = {
        "group": key.decode(errors="replace"),
        "id": record.id,
        "status": record.status.value,
        "at": record.at,
        "raw_partition": record.partition,
        "raw_offset": record.origin.offset,
        "raw_entry": record.origin.entry,
        "captured_at": record.origin.captured_at,
        "ordinal": record.ordinal,
    }
    return row if record.maybe_sought is None else row | record.maybe_sought._asdict()


def mark_names(record: OrderedRecord) -> list[str]:
    """The marks of a delivery as words."""
    return [str(mark.name).lower() for mark in MarkBits if mark in record.marks]


ROW_FUNCTIONS: dict[str, RowFunction] = {
    DELIVERIES.name: delivery_row,
    QUARANTINE.name: quarantine_row,
    WAITS.name: wait_row,
    MEMBERSHIP.name: membership_row,
}


def decoding_function(
    table: Table, *, on_problem: Callable[[str], None] = lambda _: None
) -> Callable[[Iterable[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """The function for `mapInArrow`: `RECORD_COLUMNS` in; the table's columns and `problem` out."""
    row_of = ROW_FUNCTIONS[table.name]
    may_be_plain = table == DELIVERIES  # in a worker it is a copy

    def decode_batches(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        import pyarrow as pa

        schema = arrow_schema(table)
        for batch in _in_pieces(batches):
            keys, values = _records(batch)
            if may_be_plain:
                is_plain, columns = plain_columns(keys, values)
                if is_plain.any():
                    yield _as_in_table(columns, schema)
                if is_plain.all():
                    continue
                careful = pa.array(~is_plain)
                keys, values = keys.filter(careful), values.filter(careful)
            rows: list[dict[str, Any]] = []
            for maybe_key, maybe_value in zip(keys.to_pylist(), values.to_pylist(), strict=True):
                rows.append(_row_or_problem(row_of, maybe_key or b"", maybe_value or b""))
                if PROBLEM in rows[-1]:
                    on_problem(rows[-1][PROBLEM])
            if rows:
                yield pa.RecordBatch.from_pylist(rows, schema=schema)

    return decode_batches


def _in_pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The same records in batches that need little memory as Python's values."""
    for batch in batches:
        for start in range(0, batch.num_rows, MOST_ROWS):
            yield batch.slice(start, MOST_ROWS)


def _records(batch: pa.RecordBatch) -> tuple[pa.Array, pa.Array]:
    """Keys and values; a cloud event as the record that it was made of."""
    import pyarrow as pa

    keys, values, facts = (batch.column(name) for name in RECORD_COLUMNS)
    if facts.null_count == len(facts):
        return keys, values
    whole = [
        maybe_value if one is None else envelope_form(maybe_value or b"", ((FACTS, one),))
        for maybe_value, one in zip(values.to_pylist(), facts.to_pylist(), strict=True)
    ]
    return keys, pa.array(whole, pa.binary())


def _as_in_table(columns: dict[str, pa.Array], schema: pa.Schema) -> pa.RecordBatch:
    """The columns as they stand in the table; what is not there, as the problem, is NULL."""
    import pyarrow as pa

    rows = len(columns["ordinal"])
    arrays = [
        columns[field.name].cast(field.type)
        if field.name in columns
        else pa.nulls(rows, field.type)
        for field in schema
    ]
    return pa.RecordBatch.from_arrays(arrays, schema=schema)


def _row_or_problem(row_of: RowFunction, key: bytes, value: bytes) -> dict[str, Any]:
    try:
        return row_of(key, value)
    except (RecordError, WireError) as error:
        return {PROBLEM: str(error)}


def arrow_schema(table: Table) -> pa.Schema:
    """What `decoding_function` gives: the table's columns and the problem."""
    import pyarrow as pa

    kinds = {
        "STRING": pa.string(),
        "BIGINT": pa.int64(),
        "INT": pa.int32(),
        "BINARY": pa.binary(),
        "BOOLEAN": pa.bool_(),
        "ARRAY<STRING>": pa.list_(pa.string()),
        "TIMESTAMP": pa.timestamp("us", tz="UTC"),
    }
    fields = [(column.name, kinds[column.kind]) for column in table.columns]
    return pa.schema([*fields, (PROBLEM, pa.string())])
