"""Each row once in the tables: repeats of a batch, of a part, within a batch; foreign records."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

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
from streaming.history_query import TableHistory, newer_than
from tests.messages import wire
from tests.table_tools import write_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def delivery(ordinal: int, *, partition: int = 0) -> tuple[bytes, bytes]:
    record = OrderedRecord(
        ordinal, ordinal, partition, Origin(ordinal, 0, 0), MarkBits.NONE, wire("a", ordinal)
    )
    return b"g", encode_ordered(record)


class Writer:
    """Writes batches as the query does, from a fresh start or from an old one."""

    def __init__(self, spark: SparkSession, directory: Path, table: Table = DELIVERIES) -> None:
        self._spark = spark
        self._directory = str(directory)
        self._table = table
        create_tables(spark, self._directory)
        self.restart()

    def restart(self) -> None:
        self._history = TableHistory(self._table, directory=self._directory)

    def write(self, number: int, *records: tuple[bytes, bytes]) -> None:
        write_batch(self._spark, self._history, records, batch=number)

    def rows(self) -> list[tuple[int, int]]:
        columns = ("raw_partition", "ordinal")
        return sorted((p, o) for p, o in read_rows(self._directory, self._table, columns=columns))


def test_a_row_is_new_if_its_ordinal_is_greater_than_its_partitions_last() -> None:
    assert newer_than({}) == "ordinal > 0"
    assert "map(0, 5L, 1, 7L)" in newer_than({1: 7, 0: 5})


@pytest.mark.spark
def test_repeats_are_dropped_whole_in_part_and_within_a_batch(
    spark: SparkSession, tmp_path: Path
) -> None:
    writer = Writer(spark, tmp_path)
    writer.write(0, delivery(1), delivery(2), delivery(1, partition=1))
    writer.write(1, delivery(1), delivery(2), delivery(3))
    writer.write(2, delivery(3), delivery(4), delivery(4), delivery(5), delivery(4))
    assert writer.rows() == [(0, 1), (0, 2), (0, 3), (0, 4), (0, 5), (1, 1)]


@pytest.mark.spark
def test_a_batch_that_runs_again_after_a_crash_adds_nothing(
    spark: SparkSession, tmp_path: Path
) -> None:
    writer = Writer(spark, tmp_path)
    writer.write(0, delivery(1), delivery(2))
    writer.restart()
    writer.write(0, delivery(1), delivery(2))
    writer.write(1, delivery(3))
    assert writer.rows() == [(0, 1), (0, 2), (0, 3)]


@pytest.mark.spark
def test_delta_alone_refuses_a_batch_number_that_it_has(
    spark: SparkSession, tmp_path: Path
) -> None:
    """The second guard, with the first one blindfolded."""
    writer = Writer(spark, tmp_path)
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
