"""Each row once in the tables: repeats of a batch, of a part, within a batch; foreign records."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any, NamedTuple

import pyarrow as pa
import pytest

from sinks.cloud_events import FACTS, OF_EACH, cloud_event
from sinks.decoding import RECORD_COLUMNS
from sinks.records import (
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    encode_ordered,
    encode_quarantine,
)
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, QUARANTINE, Table, create_tables, last_ordinals
from streaming.history_query import TableHistory, Work
from streaming.told import Told
from tests.messages import wire
from tests.table_tools import Listed, write_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


IN_A_FOLDER, BEHIND_A_URI = "{}", "file://{}"


def delivery(ordinal: int, *, partition: int = 0) -> tuple[bytes, bytes]:
    record = OrderedRecord(
        ordinal, ordinal, partition, Origin(ordinal, 0, 0), MarkBits.NONE, wire("a", ordinal)
    )
    return b"g", encode_ordered(record)


class Writer:
    """Writes batches as the query does, from a fresh start or from an old one."""

    def __init__(
        self,
        spark: SparkSession,
        directory: Path,
        table: Table = DELIVERIES,
        *,
        form: str = IN_A_FOLDER,
    ) -> None:
        self._spark = spark
        self._directory = str(directory)
        self._table = table
        self._form = form
        create_tables(spark, self._directory)
        self.restart()

    def restart(self) -> None:
        self._history = TableHistory(self._table, directory=self._directory)
        self._history._path = self._form.format(self._history._path)

    def write(self, number: int, *records: tuple[bytes, bytes]) -> None:
        write_batch(self._spark, self._history, records, batch=number)

    def rows(self) -> list[tuple[int, int]]:
        columns = ("raw_partition", "ordinal")
        return sorted((p, o) for p, o in read_rows(self._directory, self._table, columns=columns))


class Events(NamedTuple):
    """Cloud events, two in a piece; their numbers stand in a header."""

    records: tuple[tuple[bytes, bytes], ...]

    def read(self) -> Iterator[pa.RecordBatch]:
        rows = []
        for key, record in self.records:
            event = cloud_event(key, record, raw_topic="raw")
            rows.append((key, event.value, dict(zip(OF_EACH, event.headers, strict=True))[FACTS]))
        for at in range(0, len(rows), 2):
            columns = [pa.array(one, pa.binary()) for one in zip(*rows[at : at + 2], strict=True)]
            yield pa.RecordBatch.from_arrays(columns, names=list(RECORD_COLUMNS))


def test_a_worker_makes_rows_of_what_is_new_in_each_format_and_tells_how_far_it_came() -> None:
    records = tuple(map(delivery, (3, 4, 5, 4, 5, 8)))
    for part in (Listed(records), Events(records)):
        told: list[Told] = []
        place: Any = SimpleNamespace(add=told.append)
        work = Work(DELIVERIES, "", (Listed(()), part), {0: 4, 1: 7}, place)
        numbers = pa.RecordBatch.from_pydict({"id": [1]})
        rows = [row for batch in work.rows([numbers]) for row in batch.to_pylist()]
        assert [row["ordinal"] for row in rows] == [5, 8]
        assert [row["id"] for row in rows] == ["a#1:5", "a#1:8"]
        (one,) = told
        assert (one.last, one.problem) == ({0: 8, 1: 7}, "")
        assert one.holes == ("ordinals 6 to 7 of partition 0 are missing; run precede verify",)


@pytest.mark.spark
@pytest.mark.parametrize("form", [IN_A_FOLDER, BEHIND_A_URI])
def test_repeats_are_dropped_whole_in_part_and_within_a_batch(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    writer = Writer(spark, tmp_path, form=form)
    writer.write(0, delivery(1), delivery(2), delivery(1, partition=1))
    writer.write(1, delivery(1), delivery(2), delivery(3))
    writer.write(2, delivery(3), delivery(4), delivery(4), delivery(5), delivery(4))
    assert writer.rows() == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 1)]


@pytest.mark.spark
@pytest.mark.parametrize("form", [IN_A_FOLDER, BEHIND_A_URI])
def test_a_batch_that_runs_again_after_a_crash_adds_nothing(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    writer = Writer(spark, tmp_path, form=form)
    writer.write(0, delivery(1), delivery(2))
    writer.restart()
    writer.write(0, delivery(1), delivery(2))
    writer.write(1, delivery(3))
    assert writer.rows() == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.spark
@pytest.mark.parametrize("form", [IN_A_FOLDER, BEHIND_A_URI])
def test_delta_alone_refuses_a_batch_number_that_it_has(
    spark: SparkSession, tmp_path: Path, form: str
) -> None:
    """The second guard, with the first one blindfolded."""
    writer = Writer(spark, tmp_path, form=form)
    writer.write(0, delivery(1))
    writer.restart()
    writer._history._maybe_last = {}
    writer.write(0, delivery(1))
    assert writer.rows() == [(0, 1)]


@pytest.mark.spark
def test_a_foreign_record_is_reported_and_the_rest_is_written(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer(spark, tmp_path)
    with caplog.at_level(logging.ERROR):
        writer.write(0, (b"", b"junk"), delivery(1))
    assert writer.rows() == [(0, 1)]
    assert "a foreign record in the topic of deliveries" in caplog.text


@pytest.mark.spark
def test_a_hole_in_the_ordinals_is_reported(
    spark: SparkSession, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    writer = Writer(spark, tmp_path)
    with caplog.at_level(logging.ERROR):
        writer.write(0, delivery(1), delivery(2))
        assert not caplog.text
        writer.write(1, delivery(5))
    assert "ordinals 3 to 4 of partition 0 are missing" in caplog.text


@pytest.mark.spark
def test_quarantine_goes_the_same_way(spark: SparkSession, tmp_path: Path) -> None:
    writer = Writer(spark, tmp_path, QUARANTINE)
    record = encode_quarantine(QuarantineRecord(1, 0, Origin(0, 0, 0), "cycle", "", b"x"))
    writer.write(0, (b"g", record), (b"g", record))
    assert writer.rows() == [(0, 1)]
    assert last_ordinals(spark, QUARANTINE.path(str(tmp_path))) == {0: 1}


@pytest.mark.spark
def test_an_empty_batch_writes_nothing(spark: SparkSession, tmp_path: Path) -> None:
    writer = Writer(spark, tmp_path)
    writer.write(0)
    assert writer.rows() == []
    assert last_ordinals(spark, DELIVERIES.path(str(tmp_path))) == {}


@pytest.mark.spark
def test_a_table_of_an_earlier_release_gets_its_new_columns_and_keeps_its_rows(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = DELIVERIES.path(str(tmp_path))
    old = [one for one in DELIVERIES.columns if one.name not in ("tag", "key_id", "stamps_kind")]
    schema = ", ".join(f"`{column.name}` {column.kind}" for column in old)
    known = {"ordinal": 1, "position": 1, "raw_partition": 0}
    row = tuple(known.get(one.name) for one in old)
    spark.createDataFrame([row], schema).write.format("delta").save(path)
    writer = Writer(spark, tmp_path)
    writer.write(0, delivery(2))
    found = sorted(read_rows(str(tmp_path), DELIVERIES, columns=("position", "tag")))
    assert found == [(1, None), (2, None)]
    create_tables(spark, str(tmp_path))
