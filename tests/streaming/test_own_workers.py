"""A query with workers of its own finds the same ones in the next batch; others get others."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import pyarrow as pa
import pytest

from streaming.own_workers import VARIABLE, own_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


def who(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    list(batches)
    told = {"pid": [os.getpid()], "query": [os.environ.get(VARIABLE, "")]}
    yield pa.RecordBatch.from_pydict(told)


def asked(spark: SparkSession, maybe_query: str | None) -> tuple[int, str]:
    one = spark.range(0, 1, 1, 1)
    if maybe_query is None:
        frame = one.mapInArrow(who, "pid BIGINT, query STRING")
    else:
        with own_workers(spark, maybe_query):
            frame = one.mapInArrow(who, "pid BIGINT, query STRING")
    pid, query = frame.collect()[0]
    return pid, query


@pytest.mark.spark
def test_a_worker_of_one_query_never_serves_another(spark: SparkSession) -> None:
    mine, query = asked(spark, "mine")
    assert query == "mine"
    theirs, none = asked(spark, None)
    assert (theirs != mine, none) == (True, "")
    assert asked(spark, "mine")[0] == mine
    assert VARIABLE not in spark.sparkContext.environment
