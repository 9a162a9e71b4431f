"""The tables' definitions (their writes are tested with the history query)."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, TABLES, create_tables

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def test_a_table_lives_under_its_folder_whatever_the_folder_ends_in() -> None:
    assert DELIVERIES.path("/data") == DELIVERIES.path("/data/") == "/data/deliveries"
    assert DELIVERIES.path("s3a://bucket/x") == "s3a://bucket/x/deliveries"


def test_every_column_says_what_it_means() -> None:
    for table in TABLES:
        assert table.meaning
        assert all(column.meaning for column in table.columns)


def test_every_table_can_drop_repeats() -> None:
    for table in TABLES:
        assert {"raw_partition", "ordinal"} <= {column.name for column in table.columns}


@pytest.mark.spark
def test_tables_whose_maker_was_killed_before_the_first_commit_are_made(
    spark: SparkSession, tmp_path: Path
) -> None:
    log = Path(DELIVERIES.path(str(tmp_path))) / "_delta_log"
    (log / "_staged_commits").mkdir(parents=True)
    (log / f".{0:020}.json.0b1e.tmp").write_bytes(b"{")
    create_tables(spark, str(tmp_path))
    create_tables(spark, str(tmp_path))
    for table in TABLES:
        assert list(read_rows(str(tmp_path), table, columns=["ordinal"])) == []


@pytest.mark.spark
def test_a_log_that_has_anything_else_is_left_alone(spark: SparkSession, tmp_path: Path) -> None:
    log = Path(DELIVERIES.path(str(tmp_path))) / "_delta_log"
    log.mkdir(parents=True)
    kept = log / "_last_checkpoint"
    kept.write_bytes(b"{}")
    with pytest.raises(Exception, match="DELTA"):
        create_tables(spark, str(tmp_path))
    assert kept.exists()


def test_a_relative_folder_is_named_from_the_root_on_and_a_uri_stays() -> None:
    assert DELIVERIES.path("some/tables/") == str(Path.cwd() / "some" / "tables" / "deliveries")
    assert DELIVERIES.path("s3a://bucket/tables/") == "s3a://bucket/tables/deliveries"
    assert DELIVERIES.path("file:///data/tables") == "/data/tables/deliveries"
