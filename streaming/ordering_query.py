"""The ordering query: raw topic -> engine -> ordered, quarantine and counters topics.

The raw partition is the shard: the key of the state is made from the partition alone, so a key's
rows come from one reader in offset order, and ticks reach exactly the groups they concern. Output
goes through Spark's own topic sink, which may repeat a batch after a crash; the records are
numbered (`sinks.records`), so a reader drops the repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordering.policy import GroupPolicy
from ordering_udfs.host import OUTPUT_SCHEMA, STATE_SCHEMA, ordering_function
from sinks.settings import KafkaSettings
from streaming.even_tasks import even_keys
from streaming.settings import JobSettings
from streaming.spark_options import sink_options, source_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

QUERY_NAME = "precede-ordering"


def ordering_writer(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings, policy: GroupPolicy
) -> DataStreamWriter:
    """The query, ready to be given a checkpoint and a trigger and to be started."""
    topics = kafka.topics
    raw = ordering_source(session, kafka=kafka, job=job, topic=topics.raw)
    order = ordering_function(policy=policy, partitions=kafka.partitions, topics=topics)
    chunks = raw.groupBy("shard").applyInPandasWithState(
        order, OUTPUT_SCHEMA, STATE_SCHEMA, "append", "NoTimeout"
    )
    records = chunks.selectExpr(
        "topic", "partition", "inline(arrays_zip(keys, values))"
    ).selectExpr("topic", "partition", "keys AS key", "values AS value")
    return (
        records.writeStream.queryName(QUERY_NAME)
        .outputMode("append")
        .format("kafka")
        .options(**sink_options(kafka))
    )


def ordering_source(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings, topic: str
) -> DataFrame:
    """The raw topic as rows of `ordering_udfs.host`, with the key of each partition's state."""
    options = source_options(kafka, topics=[topic], maximum_records=job.max_offsets_per_trigger)
    keys = ", ".join(str(key) for key in even_keys(partitions=kafka.partitions, tasks=job.tasks))
    return (
        session.readStream.format("kafka")
        .options(**options)
        .load()
        .selectExpr(
            f"element_at(array({keys}), partition + 1) AS shard",
            "partition",
            "offset",
            "unix_micros(timestamp) AS captured_at",
            "value",
        )
    )
