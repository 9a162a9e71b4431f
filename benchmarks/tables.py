"""The tables' benchmark: the whole job, with the history query beside the ordering query.

As `bench job` (148-byte messages, 1,000 groups, jitter 200), with ticks after every
20,000 messages, so that waits are told. The ordering query takes what is there, the
history query follows it; the time begins with the first batch and ends when the tables have every
record. The limit, Spark's own topic to topic, is measured in the same run. docs/BENCHMARKS.md says
what each figure means.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.figures import Measured, at_least, rounded
from benchmarks.job import JITTER, PARTITIONS, PIECE, new_topics, placed, warm_rate
from benchmarks.job_queries import ordering_job, pass_through
from benchmarks.timing import Say
from benchmarks.traffic import Traffic
from deploy.local.broker import Broker
from ingest.wire.envelope import encode, tick
from sinks.kafka_client import end_offsets, producer_options
from sinks.settings import KafkaSettings
from sinks.tables import create_tables
from streaming.history_query import history_writer
from streaming.progress import offsets_of
from streaming.settings import JobSettings
from streaming.spark_options import CHECKPOINT_LOCATION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery

GROUPS: Final = 1_000
TICK_EVERY: Final = 20_000
TICK_US: Final = 1_000_000
PATIENCE_S: Final = 300.0

GOALS: Final = {"ratio_with_tables_to_pass_through": at_least(0.2)}


class Size(NamedTuple):
    """How much is measured, after turns that warm everything up: each of the limit's two turns must
    have batches left when its cold ones are left out.
    """

    cold_turns: int = 2
    messages: int = 2_745_000
    batch: int = JobSettings().max_messages_per_batch


def measure(*, size: Size = Size(), say: Say) -> Measured:  # noqa: B008 - a frozen value
    """Start everything; cold turns, then one that counts, of the limit and of the job."""
    from console.local_jars import jars_for
    from streaming.session import open_session

    with tempfile.TemporaryDirectory() as folder, Broker() as broker:
        say(f"making {size.messages:,} messages for each of {size.cold_turns + 2} topics")
        *cold, warm, other = (
            new_topics(broker.bootstrap, prefix)
            for prefix in (*(f"cold-{turn}" for turn in range(size.cold_turns)), "warm", "limit")
        )
        for kafka in (*cold, warm, other):
            _fill(kafka, size.messages)
        settings = JobSettings(
            scratch_directory=str(Path(folder) / "spark"),
            checkpoint_directory=str(Path(folder) / "checkpoint"),
            max_messages_per_batch=size.batch,
        )
        say("starting Spark")
        session = open_session(settings, jars=jars_for(settings.spark_master))
        try:
            for number, kafka in enumerate(cold):
                say(f"warming up, turn {number + 1} of {size.cold_turns}")
                _job_and_tables(session, kafka, Path(folder) / kafka.topic_prefix)
            limit = _limit(session, other, settings, Path(folder))
            say("ordering, and filling the tables")
            elapsed, rows = _job_and_tables(session, warm, Path(folder) / "warm")
        finally:
            session.stop()
    rate = size.messages / elapsed
    figures = {
        "pass_through_messages_per_s": rounded(limit),
        "with_tables_messages_per_s": rounded(rate),
        "ratio_with_tables_to_pass_through": rounded(rate / limit if limit else 0.0),
        "waits_rows": float(rows["waits"]),
    }
    missing = size.messages - rows["deliveries"]
    faults = (f"{missing} messages are not in the table",) if missing else ()
    return Measured(figures, GOALS, faults)


def _limit(
    session: SparkSession, kafka: KafkaSettings, settings: JobSettings, folder: Path
) -> float:
    """Two turns of topic to topic, the first batches left out."""
    turns: list[list[Mapping[str, Any]]] = []
    for number in range(2):
        writer = pass_through(session, kafka, settings)
        location = str(folder / f"limit-{number}")
        query = writer.option(CHECKPOINT_LOCATION, location).trigger(availableNow=True).start()
        query.awaitTermination()
        turns.append([dict(one) for one in query.recentProgress])
    return warm_rate(turns, entries=1)


def _job_and_tables(
    session: SparkSession, kafka: KafkaSettings, folder: Path
) -> tuple[float, dict[str, int]]:
    """Order all that is there, the history query beside it; give seconds, and rows by table."""
    settings = JobSettings(tables_directory=str(folder / "tables"))
    create_tables(session, settings.tables_directory)
    history = history_writer(session, kafka=kafka, job=settings)
    following = (
        history.option(CHECKPOINT_LOCATION, str(folder / "history"))
        .trigger(processingTime=f"{settings.trigger_interval_ms} milliseconds")
        .start()
    )
    ordering = (
        ordering_job(session, kafka, settings)
        .option(CHECKPOINT_LOCATION, str(folder / "ordering"))
        .trigger(availableNow=True)
        .start()
    )
    ordering.awaitTermination()
    _await_history(following, kafka)
    elapsed = (datetime.now(UTC) - _began_at(ordering)).total_seconds()
    following.stop()
    rows = {
        name: session.read.format("delta").load(f"{settings.tables_directory}/{name}").count()
        for name in ("deliveries", "waits")
    }
    return elapsed, rows


def _began_at(query: StreamingQuery) -> datetime:
    """When its first batch began: to start a query takes a second, and happens once in a life."""
    return datetime.fromisoformat(query.recentProgress[0]["timestamp"])


def _await_history(following: StreamingQuery, kafka: KafkaSettings) -> None:
    """Wait until the history query has been through all that the topics hold."""
    topics = kafka.topics
    ends = {
        topic: {str(at): end for at, end in end_offsets(kafka, topic).items()}
        for topic in (topics.ordered, topics.quarantine, topics.waits)
    }
    deadline = time.monotonic() + PATIENCE_S
    while time.monotonic() < deadline:
        maybe_progress = following.lastProgress
        if maybe_progress is not None:
            _, maybe_reached = offsets_of(maybe_progress)
            reached = maybe_reached or {}
            if all(reached.get(topic) == ends[topic] for topic in ends):
                return
        time.sleep(0.05)
    raise TimeoutError("the history query did not come to the end of the topics")


def _fill(kafka: KafkaSettings, messages: int) -> None:
    """Write messages to the raw topic, and ticks among them."""
    from confluent_kafka import Producer

    producer = Producer(producer_options(kafka))
    traffic = Traffic(groups=GROUPS, jitter=JITTER)
    first_at = time.time_ns() // 1_000
    for number in range(0, messages, PIECE):
        for at, (group, content) in enumerate(traffic.piece(min(PIECE, messages - number))):
            producer.produce(kafka.topics.raw, value=content, partition=placed(group))
            producer.poll(0)
            if at % TICK_EVERY == 0:
                beat = encode(tick(first_at + TICK_US * (number + at) // TICK_EVERY))
                for partition in range(PARTITIONS):
                    producer.produce(kafka.topics.raw, value=beat, partition=partition)
        producer.flush()
