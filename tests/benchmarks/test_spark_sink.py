"""Spark's own sink is as safe as the job's writer, or it would be no measure for it."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import pytest

from benchmarks.spark_sink import sink_options
from deploy.local.broker import Broker
from sinks.kafka_client import read_topic
from sinks.settings import KafkaSettings
from tests.refusing_proxy import RefusingProxy
from tests.topic_tools import new_topics

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


def test_the_sink_waits_for_all_replicas() -> None:
    options = sink_options(KafkaSettings())
    assert (options["kafka.acks"], options["kafka.enable.idempotence"]) == ("all", "true")


@pytest.mark.spark
@pytest.mark.broker
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
