"""Rows of the tables from records of the topics."""

from __future__ import annotations

import pyarrow as pa

from sinks.decoding import PROBLEM, arrow_schema, decoded_schema, decoding_function, quarantine_row
from sinks.records import (
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    encode_ordered,
    encode_quarantine,
)
from sinks.tables import DELIVERIES, QUARANTINE, TABLES, Table
from tests.messages import wire


def rows_of(table: Table, *records: tuple[bytes | None, bytes | None]) -> list[dict[str, object]]:
    keys, values = zip(*records, strict=True)
    batch = pa.RecordBatch.from_pydict(
        {"key": pa.array(keys, pa.binary()), "value": pa.array(values, pa.binary())}
    )
    (decoded,) = decoding_function(table)([batch])
    rows: list[dict[str, object]] = decoded.to_pylist()
    return rows


def test_a_delivery_becomes_a_row_with_ids_as_text() -> None:
    envelope = wire("bob", 2, ("alice", 1), ("carol", 3), group="dev", payload=b"yes")
    record = OrderedRecord(9, 4, 1, Origin(70, 0, 5_000_000), MarkBits.LATE, envelope)
    (row,) = rows_of(DELIVERIES, (b"dev", encode_ordered(record)))
    assert row["id"] == "bob#1:2"
    assert (row["group"], row["position"], row["ordinal"]) == ("dev", 4, 9)
    assert (row["parent"], row["also"]) == ("alice#1:1", ["carol#1:3"])
    assert (row["payload"], row["marks"], row["stamps"]) == (b"yes", ["late"], None)
    assert (row["raw_partition"], row["raw_offset"], row["raw_entry"]) == (1, 70, 0)
    assert row[PROBLEM] is None


def test_a_foreign_record_becomes_a_problem_and_stops_nothing() -> None:
    good = encode_ordered(OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, wire("a", 1)))
    headless = encode_ordered(OrderedRecord(2, 2, 0, Origin(1, 0, 0), MarkBits.NONE, b"junk"))
    rows = rows_of(DELIVERIES, (b"g", b"junk"), (None, None), (b"g", headless), (b"g", good))
    assert [row[PROBLEM] is None for row in rows] == [False, False, False, True]


def test_a_quarantine_record_becomes_a_row() -> None:
    record = QuarantineRecord(2, 0, Origin(5, 0, 1), "not_ours", "starts with b'x'", b"xx")
    row = quarantine_row(b"", encode_quarantine(record))
    assert (row["group"], row["reason"], row["captured"]) == (None, "not_ours", b"xx")
    assert quarantine_row(b"dev", encode_quarantine(record))["group"] == "dev"


def test_the_arrow_and_the_sql_schema_name_the_same_columns() -> None:
    for table in TABLES:
        names = [column.name for column in table.columns] + [PROBLEM]
        assert arrow_schema(table).names == names
        assert all(name in decoded_schema(table) for name in names)
    assert "raw_offset" in arrow_schema(QUARANTINE).names
