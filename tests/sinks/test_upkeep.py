"""Upkeep makes few files of many, expires what may go, and never gets in the job's way."""

from __future__ import annotations

import os
import threading
import time
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sinks.errors import DestinationError
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, MEMBERSHIP, WAITS, create_tables
from sinks.upkeep import keep_up, parse_retention, state_of
from sinks.waits import Sought, WaitRecord, WaitStatus, encode_wait
from streaming.history_query import TableHistory
from tests.messages import wire
from tests.table_tools import write_batch

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

DAY_US = 86_400_000_000
NOW_US = time.time_ns() // 1_000


def test_a_retention_is_a_number_of_days_for_a_table() -> None:
    assert parse_retention(("waits=7", "quarantine=30")) == {"waits": 7, "quarantine": 30}
    for wrong in ("waits", "waits=0", "weights=7", "waits=-1"):
        with pytest.raises(ValueError, match=r"waits|weights"):
            parse_retention((wrong,))
    with pytest.raises(ValueError, match="one retention for a table"):
        parse_retention(("waits=7", "waits=8"))


def delivery(ordinal: int, *, days: int = 0) -> tuple[bytes, bytes]:
    origin = Origin(ordinal, 0, NOW_US - days * DAY_US)
    envelope = wire("a", ordinal, group=f"g{ordinal % 5}")
    return b"g", encode_ordered(OrderedRecord(ordinal, ordinal, 0, origin, MarkBits.NONE, envelope))


class Writer:
    """The history query's way into one table, batch by batch."""

    def __init__(self, spark: SparkSession, directory: Path, *, first: int = 0) -> None:
        self._spark = spark
        self._batch = first
        self._history = TableHistory(DELIVERIES, directory=str(directory))

    def write(self, *records: tuple[bytes, bytes]) -> None:
        write_batch(self._spark, self._history, records, batch=self._batch)
        self._batch += 1


def ordinals(directory: Path) -> list[int]:
    return sorted(row[0] for row in read_rows(str(directory), DELIVERIES, columns=("ordinal",)))


@pytest.mark.spark
def test_files_become_few_while_the_job_writes_and_no_row_is_lost_or_doubled(
    spark: SparkSession, tmp_path: Path
) -> None:
    create_tables(spark, str(tmp_path))
    writer = Writer(spark, tmp_path)
    for first in (1, 3, 5):
        writer.write(delivery(first), delivery(first + 1))
    dry = keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=None, is_dry=True)
    assert dry.before == dry.after
    assert dry.before.files >= 3
    failures: list[BaseException] = []

    def go_on() -> None:
        try:
            for first in (7, 9):
                writer.write(delivery(first), delivery(first + 1))
        except BaseException as error:
            failures.append(error)

    job = threading.Thread(target=go_on)
    job.start()
    keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=None)
    job.join()
    assert not failures
    done = keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=None)
    assert done.after.files < dry.before.files
    assert ordinals(tmp_path) == list(range(1, 11))


@pytest.mark.spark
def test_old_rows_go_but_not_the_last_of_a_partition_nor_who_still_waits(
    spark: SparkSession, tmp_path: Path
) -> None:
    create_tables(spark, str(tmp_path))
    Writer(spark, tmp_path).write(*(delivery(number, days=40) for number in (1, 2, 3)))
    dry = keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=30, is_dry=True)
    assert (dry.expired_rows, ordinals(tmp_path)) == (2, [1, 2, 3])
    done = keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=30)
    assert (done.expired_rows, ordinals(tmp_path)) == (2, [3])

    def wait(ordinal: int, offset: int, status: WaitStatus) -> tuple[bytes, bytes]:
        maybe_sought = Sought("x#1:1") if status is WaitStatus.HELD else None
        origin = Origin(offset, 0, NOW_US - 40 * DAY_US)
        record = WaitRecord(ordinal, 0, origin, f"a#1:{offset}", status, maybe_sought, 0)
        return b"g", encode_wait(record)

    records = [
        wait(1, 1, WaitStatus.HELD),
        wait(2, 2, WaitStatus.HELD),
        wait(3, 1, WaitStatus.DELIVERED),
        wait(4, 3, WaitStatus.HELD),
        wait(5, 3, WaitStatus.RELEASED),
    ]
    write_batch(spark, TableHistory(WAITS, directory=str(tmp_path)), records, batch=0)
    assert keep_up(spark, str(tmp_path), WAITS, maybe_days=30).expired_rows == 3
    rows = read_rows(str(tmp_path), WAITS, columns=("ordinal",))
    assert sorted(row[0] for row in rows) == [2, 5]


@pytest.mark.spark
def test_what_a_cut_off_write_left_is_removed_when_it_is_old(
    spark: SparkSession, tmp_path: Path
) -> None:
    create_tables(spark, str(tmp_path))
    Writer(spark, tmp_path).write(delivery(1))
    stray = tmp_path / DELIVERIES.name / "part-stray.parquet"
    stray.write_bytes(b"never committed")
    os.utime(stray, (1_000_000, 1_000_000))
    dry = keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=None, is_dry=True)
    assert dry.removed_files == 1
    assert stray.exists()
    keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=None)
    assert not stray.exists()
    assert ordinals(tmp_path) == [1]


@pytest.mark.spark
def test_a_table_of_an_earlier_release_begins_to_be_clustered(
    spark: SparkSession, tmp_path: Path
) -> None:
    path = MEMBERSHIP.path(str(tmp_path))
    spark.sql(f"CREATE TABLE delta.`{path}` ({MEMBERSHIP.schema}) USING delta")
    for _ in range(2):
        create_tables(spark, str(tmp_path))
    detail = spark.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()[0]
    assert tuple(detail["clusteringColumns"]) == MEMBERSHIP.clustered_by
    assert state_of(spark, path).files == 0


@pytest.mark.spark
def test_a_table_that_is_not_there_is_named(spark: SparkSession, tmp_path: Path) -> None:
    with pytest.raises(DestinationError, match="no Delta table"):
        keep_up(spark, str(tmp_path), DELIVERIES, maybe_days=None)
