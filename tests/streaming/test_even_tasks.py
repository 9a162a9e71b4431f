"""Partitions are spread evenly over the tasks, by Spark's own hash."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from streaming.even_tasks import even_keys, spark_hash

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.parametrize(("partitions", "tasks"), [(1, 1), (2, 2), (7, 3), (16, 4), (3, 8)])
def test_every_partition_has_its_own_key_in_the_task_that_is_its_turn(
    partitions: int, tasks: int
) -> None:
    keys = even_keys(partitions=partitions, tasks=tasks)
    assert len(set(keys)) == partitions
    assert [spark_hash(key) % tasks for key in keys] == [p % tasks for p in range(partitions)]


def test_the_keys_are_names_of_saved_state_and_never_change() -> None:
    assert even_keys(partitions=4, tasks=2) == [2, 0, 4, 1]


@pytest.mark.spark
def test_the_hash_is_the_one_that_spark_computes(spark: SparkSession) -> None:
    rows = spark.sql("SELECT id, hash(CAST(id AS INT)) FROM range(-50, 500)").collect()
    assert all(spark_hash(number) == hashed for number, hashed in rows)
