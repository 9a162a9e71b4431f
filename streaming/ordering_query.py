"""The ordering query: raw topic -> engine -> ordered, quarantine and counters topics.

The raw partition is the shard (`sinks.shards` counts those of several topics through): the key of
the state is made from its number alone, so a key's rows come from one reader in offset order, and
ticks reach exactly the groups they concern. Output goes through Spark's own topic sink, which may
repeat a batch after a crash; the records are numbered (`sinks.records`), so a reader drops the
repeats.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.host import (
    CLOUD_EVENTS_SCHEMA,
    OUTPUT_SCHEMA,
    STATE_SCHEMA,
    ordering_function,
)
from sinks.cloud_events import FACTS, PARENT, OrderedFormat
from sinks.event_columns import SENT, STEM, header_texts
from sinks.settings import KafkaSettings
from sinks.shards import Shards
from streaming.batch_size import most_records
from streaming.crash_points import crashing
from streaming.even_tasks import even_keys
from streaming.settings import JobSettings
from streaming.spark_options import sink_options, source_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

QUERY_NAME = "precede-ordering"


def ordering_writer(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings, policies: GroupPolicies
) -> DataStreamWriter:
    """The query, ready to be given a checkpoint and a trigger and to be started."""
    topics = kafka.topics
    raw = ordering_source(session, kafka=kafka, job=job)
    order = crashing(
        ordering_function(
            policies=policies,
            shards=kafka.shards,
            topics=topics,
            ordered_format=job.ordered_format,
        )
    )
    is_plain = job.ordered_format is OrderedFormat.ENVELOPE
    chunks = raw.groupBy("shard").applyInPandasWithState(
        order,
        OUTPUT_SCHEMA if is_plain else CLOUD_EVENTS_SCHEMA,
        STATE_SCHEMA,
        "append",
        "NoTimeout",
    )
    records = _opened(chunks) if is_plain else _opened_cloud_events(chunks)
    return (
        records.writeStream.queryName(QUERY_NAME)
        .outputMode("append")
        .format("kafka")
        .options(**sink_options(kafka))
    )


def _opened(chunks: DataFrame) -> DataFrame:
    """A row for each record of the chunks' lists."""
    return chunks.selectExpr("topic", "partition", "inline(arrays_zip(keys, values))").selectExpr(
        "topic", "partition", "keys AS key", "values AS value"
    )


def _opened_cloud_events(chunks: DataFrame) -> DataFrame:
    """The same with the headers of cloud events, where a record has any."""
    texts = header_texts()
    structs = [f"named_struct('key', '{name}', 'value', {text})" for name, text in texts.items()]
    without_parent = ", ".join(structs[:-1])
    return chunks.selectExpr(
        "topic", "partition", STEM, "values", *SENT, "posexplode(keys) AS (at, key)"
    ).selectExpr(
        "topic",
        "partition",
        "key",
        "get(values, at) AS value",
        f"CASE WHEN {texts[FACTS]} IS NULL THEN NULL"
        f" WHEN {texts[PARENT]} IS NULL THEN array({without_parent})"
        f" ELSE array({without_parent}, {structs[-1]}) END AS headers",
    )


def ordering_source(session: SparkSession, *, kafka: KafkaSettings, job: JobSettings) -> DataFrame:
    """The raw topics as rows of `ordering_udfs.host`, with the key of each shard's state."""
    shards = kafka.shards
    options = source_options(
        kafka,
        topics=list(shards.topics),
        maximum_records=most_records(kafka, messages=job.max_messages_per_batch),
    )
    even = even_keys(partitions=shards.number_of_shards, tasks=job.tasks)
    keys = ", ".join(map(str, even))
    return (
        session.readStream.format("kafka")
        .options(**options)
        .load()
        .selectExpr(
            f"{_shard_number(shards)} AS partition",
            "offset",
            "timestamp",
            "value",
        )
        .selectExpr(
            f"element_at(array({keys}), partition + 1) AS shard",
            "partition",
            "offset",
            "unix_micros(timestamp) AS captured_at",
            "value",
        )
    )


def _shard_number(shards: Shards) -> str:
    """The number of a record's shard; where there is one raw topic it is the partition's."""
    if len(shards.topics) == 1:
        return "partition"
    firsts = ", ".join(f"'{topic}', {first}" for topic, first in shards.firsts().items())
    return f"element_at(map({firsts}), topic) + partition"
