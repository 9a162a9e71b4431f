"""The contestants of the job's benchmark: three ways from one topic to another.

The first two read with Spark's own source, with the options of the history query, and write with
Spark's own sink (`spark_sink.py`), which waits for the same acknowledgements as the job's writer.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final

from benchmarks.spark_sink import sink_options
from sinks.settings import KafkaSettings
from streaming.ordering_query import ordering_writer
from streaming.policy import group_policies
from streaming.settings import JobSettings
from streaming.spark_options import source_options

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter
    from pyspark.sql.streaming.state import GroupState

PLAIN_KEYS: Final = 32
"""Keys of the plain job: as many as a first version would take."""
PLAIN_COLUMNS: Final = (
    "partition", "offset", "unix_micros(timestamp) AS captured_at", "key", "value",
)  # fmt: skip
PLAIN_SCHEMA: Final = (
    "shard int, partition int, offset long, captured_at long, key binary, value binary"
)
"""What it is given and gives back: its key, the record, where it stood and when it came."""


def pass_through(session: SparkSession, kafka: KafkaSettings, job: JobSettings) -> DataStreamWriter:
    """Spark's own topic to topic, nothing in between: the limit."""
    records = _records(session, kafka, job).selectExpr(
        f"'{kafka.topics.ordered}' AS topic", "partition", "key", "value"
    )
    return records.writeStream.format("kafka").options(**sink_options(kafka))


def plain_job(session: SparkSession, kafka: KafkaSettings, job: JobSettings) -> DataStreamWriter:
    """The plain way to keep state in Python: identity, a row for each message, a count as state."""
    topics = kafka.topics
    records = (
        _records(session, kafka, job)
        .selectExpr(f"pmod(hash(offset), {PLAIN_KEYS}) AS shard", *PLAIN_COLUMNS)
        .groupBy("shard")
        .applyInPandasWithState(_identity, PLAIN_SCHEMA, "count long", "append", "NoTimeout")
        .selectExpr(f"'{topics.ordered}' AS topic", "partition", "key", "value")
    )
    return records.writeStream.format("kafka").options(**sink_options(kafka))


def ordering_job(session: SparkSession, kafka: KafkaSettings, job: JobSettings) -> DataStreamWriter:
    """Our ordering query, as `precede run` starts it."""
    return ordering_writer(session, kafka=kafka, job=job, policies=group_policies(job))


def _records(session: SparkSession, kafka: KafkaSettings, job: JobSettings) -> DataFrame:
    options = source_options(
        kafka, topics=[kafka.topics.raw], maximum_records=job.max_messages_per_batch
    )
    return session.readStream.format("kafka").options(**options).load()


def _identity(
    _key: tuple[Any, ...], frames: Iterable[pd.DataFrame], state: GroupState
) -> Iterator[pd.DataFrame]:
    count = state.get[0] if state.exists else 0
    for frame in frames:
        count += len(frame)
        yield frame
    state.update((count,))
