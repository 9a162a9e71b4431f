"""Rows of the tables from records of the topics."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa

from sinks.cloud_events import FACTS, OF_EACH, cloud_event
from sinks.decoding import (
    PROBLEM,
    RECORD_COLUMNS,
    arrow_schema,
    decoding_function,
    quarantine_row,
)
from sinks.records import (
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    encode_ordered,
    encode_quarantine,
)
from sinks.tables import DELIVERIES, QUARANTINE, TABLES, WAITS, Table
from sinks.waits import Sought, WaitRecord, WaitStatus, encode_wait
from tests.messages import wire


def rows_of(table: Table, *records: tuple[bytes | None, bytes | None]) -> list[dict[str, object]]:
    keys, values = zip(*records, strict=True)
    return decoded_rows(table, keys, values, [None] * len(keys))


def decoded_rows(table: Table, *columns: Sequence[bytes | None]) -> list[dict[str, object]]:
    arrays = [pa.array(column, pa.binary()) for column in columns]
    batch = pa.RecordBatch.from_arrays(arrays, names=list(RECORD_COLUMNS))
    return [row for decoded in decoding_function(table)([batch]) for row in decoded.to_pylist()]


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
    assert sorted(row[PROBLEM] is None for row in rows) == [False, False, False, True]


def test_every_problem_is_told() -> None:
    told: list[str] = []
    arrays = [pa.array(column, pa.binary()) for column in ([b"g"], [b"junk"], [None])]
    batch = pa.RecordBatch.from_arrays(arrays, names=list(RECORD_COLUMNS))
    list(decoding_function(DELIVERIES, on_problem=told.append)([batch]))
    assert told == ["a record has at least 48 bytes, not 4"]


def test_a_quarantine_record_becomes_a_row() -> None:
    record = QuarantineRecord(2, 0, Origin(5, 0, 1), "not_ours", "starts with b'x'", b"xx")
    row = quarantine_row(b"", encode_quarantine(record))
    assert (row["group"], row["reason"], row["captured"]) == (None, "not_ours", b"xx")
    assert quarantine_row(b"dev", encode_quarantine(record))["group"] == "dev"


def test_a_wait_becomes_a_row_and_its_end_names_nothing_that_is_waited_for() -> None:
    held = WaitRecord(
        2, 0, Origin(5, 1, 9), "b#1:1", WaitStatus.HELD, Sought("a#1:4", "delivered"), 50
    )
    ended = held._replace(ordinal=3, status=WaitStatus.RELEASED, maybe_sought=None)
    first, last = rows_of(WAITS, (b"dev", encode_wait(held)), (b"dev", encode_wait(ended)))
    assert (first["group"], first["id"], first["status"]) == ("dev", "b#1:1", "held")
    assert (first["waiting_for"], first["measure"], first["by"]) == ("a#1:4", "delivered", "")
    assert (last["status"], last["waiting_for"], last["raw_entry"]) == ("released", None, 1)


def test_the_arrow_and_the_sql_schema_name_the_same_columns() -> None:
    for table in TABLES:
        names = [column.name for column in table.columns] + [PROBLEM]
        assert arrow_schema(table).names == names
    assert "raw_offset" in arrow_schema(QUARANTINE).names


def test_a_cloud_event_becomes_the_row_of_the_record_that_it_was_made_of() -> None:
    record = OrderedRecord(1, 1, 0, Origin(0, 0, 0), MarkBits.NONE, wire("a", 1, ("b", 2)))
    value = encode_ordered(record)
    event = cloud_event(b"g", value, raw_topic="raw")
    facts = event.headers[OF_EACH.index(FACTS)]
    rows = decoded_rows(DELIVERIES, [b"g"] * 2, [value, event.value], [None, facts])
    assert rows[0] == rows[1]
    assert rows[0]["parent"] == "b#1:2"
