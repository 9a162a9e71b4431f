"""The ordering query: raw topic -> engine -> ordered, quarantine, waits and counters topics.

The raw partition is the shard (`sinks.shards` counts those of several topics through): the key of
the state is made from its number alone. A row of the source says which offsets of a shard come
next (`stretch_source.py`); the worker that has the shard's state reads them in the order of the
log, and writes what they come to (`ordering_udfs.host`). A batch may be written again after a
crash; the records are numbered (`sinks.records`), so a reader drops the repeats.

Spark plans the batches, brings each shard to a worker, and keeps its state; there is nothing left
for a sink of Spark's to do.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.host import OUTPUT_SCHEMA, STATE_SCHEMA, ordering_function
from sinks.settings import KafkaSettings
from sinks.shards import Shards
from sinks.worker_broker import WorkerBroker
from streaming.crash_points import crashing
from streaming.even_tasks import even_keys
from streaming.own_workers import own_workers
from streaming.settings import JobSettings
from streaming.stretch_source import FORMAT, register, source_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

QUERY_NAME = "precede-ordering"
NO_SINK = "noop"


def ordering_writer(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings, policies: GroupPolicies
) -> DataStreamWriter:
    """The query, ready to be given a checkpoint and a trigger and to be started."""
    order = ordering_function(
        policies=policies,
        shards=kafka.shards,
        topics=kafka.topics,
        broker=crashing(WorkerBroker(kafka)),
        ordered_format=job.ordered_format,
    )
    by_shard = ordering_source(session, kafka=kafka, job=job).groupBy("shard")
    with own_workers(session, QUERY_NAME):
        done = by_shard.applyInPandasWithState(
            order, OUTPUT_SCHEMA, STATE_SCHEMA, "append", "NoTimeout"
        )
    return done.writeStream.queryName(QUERY_NAME).outputMode("append").format(NO_SINK)


def ordering_source(session: SparkSession, *, kafka: KafkaSettings, job: JobSettings) -> DataFrame:
    """The next stretch of each raw partition as `ordering_udfs.host` takes it, with the key of its
    shard's state.
    """
    shards = kafka.shards
    register(session)
    options = source_options(kafka, job, topics=shards.topics)
    even = even_keys(partitions=shards.number_of_shards, tasks=job.tasks)
    keys = ", ".join(map(str, even))
    return (
        session.readStream.format(FORMAT)
        .options(**options)
        .load()
        .selectExpr(f"{_shard_number(shards)} AS partition", "begin", "end")
        .selectExpr(
            f"element_at(array({keys}), partition + 1) AS shard", "partition", "begin", "end"
        )
    )


def _shard_number(shards: Shards) -> str:
    """The number of a stretch's shard; where there is one raw topic it is the partition's."""
    if len(shards.topics) == 1:
        return "partition"
    firsts = ", ".join(f"'{topic}', {first}" for topic, first in shards.firsts().items())
    return f"element_at(map({firsts}), topic) + partition"
