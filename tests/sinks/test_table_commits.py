"""Commits that happen once, on a real table."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pyarrow as pa
import pytest

from sinks import table_commits
from sinks.decoding import PROBLEM, arrow_schema
from sinks.table_commits import commit_files
from sinks.table_files import TableFile, write_file
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, append, create_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

SCHEMA = arrow_schema(DELIVERIES)
SCHEMA = SCHEMA.remove(SCHEMA.get_field_index(PROBLEM))


def rows(*ordinals: int) -> pa.RecordBatch:
    each = [
        {
            "group": f"group-{at % 3}", "position": at, "id": f"a#1:{at}", "sender": "a#1",
            "seq": at, "also": ["b#1:1"], "payload": b"x", "marks": [], "raw_partition": 0,
            "raw_offset": at, "raw_entry": 0, "captured_at": 1_700_000_000_000_001 + at,
            "ordinal": at,
        }
        for at in ordinals
    ]  # fmt: skip
    return pa.RecordBatch.from_pylist(each, schema=SCHEMA)


class Table:
    """The table of deliveries, and a writer of it."""

    def __init__(self, spark: SparkSession, directory: Path) -> None:
        self._spark = spark
        self._directory = str(directory)
        self.path = DELIVERIES.path(self._directory)
        create_tables(spark, self._directory)

    def file(self, *ordinals: int) -> TableFile:
        maybe_file = write_file(
            [rows(*ordinals)], folder=self.path, with_bounds=DELIVERIES.with_bounds
        )
        assert maybe_file is not None
        return maybe_file

    def commit(self, *ordinals: int, batch: int, writer: str = "w") -> bool:
        return commit_files(
            self._spark, self.path, [self.file(*ordinals)], writer=writer, batch=batch
        )

    def ordinals(self) -> list[int]:
        return sorted(at for (at,) in read_rows(self._directory, DELIVERIES, columns=["ordinal"]))

    def forget_checksums(self) -> None:
        for one in Path(self.path, "_delta_log").glob("*.crc"):
            one.unlink()

    def last_actions(self) -> list[dict[str, Any]]:
        newest = max(Path(self.path, "_delta_log").glob("*.json"))
        return [json.loads(line) for line in newest.read_text().splitlines()]


@pytest.mark.spark
def test_a_batch_is_taken_once_and_each_writer_counts_for_itself(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, tmp_path)
    assert table.commit(1, 2, batch=0)
    assert not table.commit(1, 2, batch=0)
    assert table.commit(3, batch=5)
    assert not table.commit(4, batch=4)
    assert table.commit(4, batch=0, writer="another")
    assert table.ordinals() == [1, 2, 3, 4]


@pytest.mark.spark
def test_a_table_without_checksums_is_asked_for_its_whole_log(
    spark: SparkSession, tmp_path: Path
) -> None:
    table = Table(spark, tmp_path)
    assert table.commit(1, batch=0)
    spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]
    table.forget_checksums()
    assert not table.commit(1, batch=0)
    assert table.commit(2, batch=1)
    assert table.ordinals() == [1, 2]


@pytest.mark.spark
@pytest.mark.parametrize("has_checksums", [True, False])
def test_of_two_that_commit_a_batch_at_one_moment_one_fails(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, has_checksums: bool
) -> None:
    """A job that was thought dead goes on while the next one does the same batch again."""
    table = Table(spark, tmp_path)
    if not has_checksums:
        spark._jvm.org.apache.spark.sql.delta.DeltaLog.clearCache()  # type: ignore[union-attr]
        table.forget_checksums()
    mine = table_commits._batch_action

    def after_the_other(writer: str, batch: int, now_ms: int) -> dict[str, Any]:
        monkeypatch.setattr(table_commits, "_batch_action", mine)
        assert table.commit(1, batch=0)
        return mine(writer, batch, now_ms)

    monkeypatch.setattr(table_commits, "_batch_action", after_the_other)
    with pytest.raises(Exception, match="DELTA_CONCURRENT_TRANSACTION"):
        table.commit(1, batch=0)
    assert table.ordinals() == [1]


@pytest.mark.spark
def test_a_batch_goes_in_beside_what_others_write(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = Table(spark, tmp_path)
    mine = table_commits._batch_action

    def after_the_other(writer: str, batch: int, now_ms: int) -> dict[str, Any]:
        monkeypatch.setattr(table_commits, "_batch_action", mine)
        assert table.commit(7, batch=3, writer="another")
        return mine(writer, batch, now_ms)

    monkeypatch.setattr(table_commits, "_batch_action", after_the_other)
    assert table.commit(1, batch=0)
    assert table.ordinals() == [1, 7]


@pytest.mark.spark
def test_spark_reads_the_rows_as_if_it_had_written_them(
    spark: SparkSession, tmp_path: Path
) -> None:
    table, other = Table(spark, tmp_path / "mine"), Table(spark, tmp_path / "sparks")
    ordinals = tuple(range(1, 9))
    table.commit(*ordinals, batch=0)
    by_spark = spark.createDataFrame(pa.Table.from_batches([rows(*ordinals)]))
    append(by_spark.coalesce(1), path=other.path, options={})
    mine, theirs = (
        spark.read.format("delta").load(one.path).orderBy("ordinal").collect()
        for one in (table, other)
    )
    assert mine == theirs


@pytest.mark.spark
def test_bounds_are_as_delta_would_have_them(spark: SparkSession, tmp_path: Path) -> None:
    table, other = Table(spark, tmp_path / "mine"), Table(spark, tmp_path / "sparks")
    ordinals = tuple(range(1, 9))
    table.commit(*ordinals, batch=0)
    by_spark = spark.createDataFrame(pa.Table.from_batches([rows(*ordinals)]))
    append(by_spark.coalesce(1), path=other.path, options={})
    mine, theirs = (
        next(json.loads(one["add"]["stats"]) for one in each.last_actions() if "add" in one)
        for each in (table, other)
    )
    # Delta cuts milliseconds off at the end too; ours are rounded up, for readers that do not know.
    assert mine["maxValues"].pop("captured_at") >= theirs["maxValues"].pop("captured_at")
    assert {name: mine[name] for name in mine} == {name: theirs[name] for name in mine}


@pytest.mark.spark
def test_a_question_passes_over_files_by_their_bounds(spark: SparkSession, tmp_path: Path) -> None:
    table = Table(spark, tmp_path)
    table.commit(1, 2, batch=0)
    table.commit(3, 4, batch=1)
    rows_of = spark.read.format("delta").load(table.path)
    assert len(rows_of.where("position = 3").inputFiles()) == 1
    instant = "timestamp '2023-11-14 22:13:20.000004'"
    assert rows_of.where(f"captured_at = {instant}").count() == 1
