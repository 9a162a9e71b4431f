"""The ordering query's plan (its results are in `test_job`)."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from streaming.even_tasks import even_keys, spark_hash
from streaming.ordering_query import ordering_source
from streaming.settings import JobSettings
from tests.topic_tools import new_topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]


def test_a_partition_is_named_by_the_key_that_falls_into_its_task(
    spark: SparkSession, broker: Broker
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=3)
    source = ordering_source(spark, kafka=kafka, job=JobSettings(tasks=2))
    assert source.isStreaming
    assert source.columns == ["shard", "partition", "begin", "end"]
    keys = even_keys(partitions=3, tasks=2)
    assert [spark_hash(key) % 2 for key in keys] == [0, 1, 0]


def test_the_key_is_never_null_as_in_the_states_of_all_releases(
    spark: SparkSession, broker: Broker
) -> None:
    """Spark refuses a state whose key has another type, and the right to be null is part of it."""
    kafka = new_topics(broker.bootstrap, partitions=1)
    source = ordering_source(spark, kafka=kafka, job=JobSettings())
    assert not source.schema["shard"].nullable
