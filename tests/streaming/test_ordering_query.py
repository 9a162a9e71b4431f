"""The ordering query's plan (its results are in `test_job`)."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from sinks.kafka_client import read_topic
from streaming.even_tasks import even_keys, spark_hash
from streaming.ordering_query import ordering_source
from streaming.settings import JobSettings
from streaming.spark_options import sink_options
from tests.refusing_proxy import RefusingProxy
from tests.topic_tools import new_topics

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]


def test_a_partition_is_named_by_the_key_that_falls_into_its_task(
    spark: SparkSession, broker: Broker
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=3)
    source = ordering_source(spark, kafka=kafka, job=JobSettings(tasks=2))
    assert source.isStreaming
    assert source.columns == ["shard", "partition", "offset", "captured_at", "value"]
    keys = even_keys(partitions=3, tasks=2)
    assert [spark_hash(key) % 2 for key in keys] == [0, 1, 0]


def test_what_a_partition_refuses_at_first_is_written_before_what_follows(
    spark: SparkSession, broker: Broker
) -> None:
    """A reader takes what goes back for a repeat: the first record, behind the second one, would be
    dropped.
    """

    def one_after_the_other(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for batch in batches:
            for at in range(batch.num_rows):
                yield batch.slice(at, 1)
                time.sleep(0.5)  # so that they are not sent in one request

    kafka = new_topics(broker.bootstrap, partitions=1)
    with RefusingProxy(broker.bootstrap, kafka.topics.ordered) as proxy:
        there = replace(kafka, bootstrap=proxy.bootstrap)
        values = spark.range(0, 2, 1, 1).selectExpr("CAST(CAST(id AS STRING) AS BINARY) AS value")
        values.mapInArrow(one_after_the_other, "value BINARY").write.format("kafka").options(
            topic=kafka.topics.ordered, **sink_options(there)
        ).save()
    assert proxy.requests > 1
    assert [record.value for record in read_topic(kafka, kafka.topics.ordered)] == [b"0", b"1"]
