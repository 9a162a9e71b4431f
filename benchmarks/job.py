"""The job's benchmark: raw topic to ordered topic, as a ratio to Spark's own topic to topic.

A broker and a Spark session of its own; 148-byte messages, 1,000 groups, jitter 200, two
partitions: once a message in each record, once packed, once as cloud events, once with 20,000
groups. The contestants take turns on the same session; the first turn of each and the first
batches of the others, in which everything is still cold, are left out. docs/BENCHMARKS.md says what
each figure means.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterable, Mapping
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from benchmarks.figures import Measured, at_least, rounded
from benchmarks.job_queries import ordering_job, pass_through, plain_job
from benchmarks.timing import Say
from benchmarks.traffic import Traffic
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from ingest.wire.bundle import pack
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks.cloud_events import OrderedFormat
from sinks.kafka_client import end_offsets, producer_options
from sinks.settings import KafkaSettings
from streaming.progress import offsets_of, records_between
from streaming.settings import JobSettings
from streaming.spark_options import CHECKPOINT_LOCATION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

MS_PER_S: Final = 1_000
PARTITIONS: Final = 2
JITTER: Final = 200
ENTRIES: Final = 100
PIECE: Final = 100_000
COLD_TURNS: Final = 1
"""Turns of a contestant that warm everything up and do not count."""
COLD_BATCHES: Final = 2
"""Batches at the beginning of a turn that do not count: its groups and members are new then."""

GOALS: Final = {
    "ratio_to_pass_through": at_least(0.4),
    "ratio_to_plain_job": at_least(1.4),
    "ratio_packed_to_pass_through": at_least(0.45),
    "ratio_cloudevents_to_job": at_least(0.667),
    "ratio_many_groups_to_job": at_least(0.7),
}

Query: TypeAlias = "Callable[[SparkSession, KafkaSettings, JobSettings], DataStreamWriter]"


class Size(NamedTuple):
    """How much is measured.

    The job's batches begin small and double. So many messages make full ones of all behind the cold
    ones, or nearly so: a small rest would be a batch that nobody has in the steady state.
    """

    messages: int = 3_745_000
    batch: int = JobSettings().max_messages_per_batch
    groups: int = 1_000
    many_groups: int = 20_000
    rounds: int = 3


class Entrant(NamedTuple):
    """One contestant: its query, its topics, how many messages a raw record has, the format."""

    query: Query
    kafka: KafkaSettings
    entries: int = 1
    ordered_format: OrderedFormat = OrderedFormat.ENVELOPE


def measure(*, size: Size = Size(), say: Say) -> Measured:  # noqa: B008 - a frozen value
    """Start everything, fill the topics, let the contestants take turns."""
    from console.local_jars import jars_for
    from streaming.session import open_session

    with tempfile.TemporaryDirectory() as folder, Broker() as broker:
        say(f"making {size.messages:,} messages of {size.groups:,} groups")
        plain, packed, many = (
            new_topics(broker.bootstrap, prefix)
            for prefix in ("bench-plain", "bench-packed", "bench-many")
        )
        fill(plain, packed, size, groups=size.groups)
        say(f"making {size.messages:,} messages of {size.many_groups:,} groups")
        fill(many, None, size, groups=size.many_groups)
        settings = JobSettings(scratch_directory=str(Path(folder) / "spark"))
        say("starting Spark")
        session = open_session(settings, jars=jars_for(settings.spark_master))
        try:
            entrants = {
                "pass_through": Entrant(pass_through, plain),
                "plain_job": Entrant(plain_job, plain),
                "job": Entrant(ordering_job, plain),
                "job_packed": Entrant(ordering_job, packed, ENTRIES),
                "job_cloudevents": Entrant(
                    ordering_job, plain, ordered_format=OrderedFormat.CLOUDEVENTS
                ),
                "job_many_groups": Entrant(ordering_job, many),
            }
            rates = _race(session, entrants, size, folder=Path(folder), say=say)
        finally:
            session.stop()
        faults = _faults(packed, size) + _faults(many, size)
    return Measured(figures_of(rates), GOALS, faults)


def figures_of(rates: Mapping[str, float]) -> dict[str, float]:
    """The rates and their ratios."""
    figures = {f"{name}_messages_per_s": rounded(rate) for name, rate in rates.items()}
    limit = rates["pass_through"]
    figures["ratio_to_pass_through"] = rounded(rates["job"] / limit)
    figures["ratio_to_plain_job"] = rounded(rates["job"] / rates["plain_job"])
    figures["ratio_packed_to_pass_through"] = rounded(rates["job_packed"] / limit)
    figures["ratio_cloudevents_to_job"] = rounded(rates["job_cloudevents"] / rates["job"])
    figures["ratio_many_groups_to_job"] = rounded(rates["job_many_groups"] / rates["job"])
    return figures


def warm_rate(turns: Iterable[Iterable[Mapping[str, Any]]], *, entries: int) -> float:
    """Messages per second over the batches of all turns, the cold ones left out."""
    records = spent_ms = 0
    for progress in list(turns)[COLD_TURNS:]:
        batches = [one for one in progress if one["numInputRows"]]
        for batch in batches[COLD_BATCHES:]:
            records += records_between(*offsets_of(batch))
            spent_ms += batch["durationMs"]["triggerExecution"]
    return records * entries * MS_PER_S / spent_ms if spent_ms else 0.0


def _race(
    session: SparkSession, entrants: Mapping[str, Entrant], size: Size, *, folder: Path, say: Say
) -> dict[str, float]:
    turns: dict[str, list[list[Mapping[str, Any]]]] = {name: [] for name in entrants}
    for number in range(size.rounds):
        for name, entrant in entrants.items():
            say(f"round {number + 1} of {size.rounds}: {name}")
            settings = JobSettings(
                max_messages_per_batch=size.batch,
                ordered_format=entrant.ordered_format,
            )
            writer = entrant.query(session, entrant.kafka, settings)
            checkpoint = str(folder / f"{name}-{number}")
            query = (
                writer.option(CHECKPOINT_LOCATION, checkpoint).trigger(availableNow=True).start()
            )
            query.awaitTermination()
            turns[name].append([dict(one) for one in query.recentProgress])
    return {
        name: warm_rate(turns[name], entries=entrant.entries) for name, entrant in entrants.items()
    }


def new_topics(bootstrap: str, prefix: str) -> KafkaSettings:
    """All topics of a job of its own."""
    create_topics(bootstrap, precede_topics(prefix=prefix, partitions=PARTITIONS))
    return KafkaSettings(bootstrap=bootstrap, topic_prefix=prefix, partitions=PARTITIONS)


@lru_cache(maxsize=100_000)
def placed(group: str) -> int:
    """The partition of a group."""
    return partition_of(GroupId(group), PARTITIONS)


def fill(
    plain: KafkaSettings, maybe_packed: KafkaSettings | None, size: Size, *, groups: int
) -> None:
    """Write messages to a raw topic, and the same packed to another; in pieces, to save memory."""
    from confluent_kafka import Producer

    producer = Producer(producer_options(plain))
    traffic = Traffic(groups=groups, jitter=JITTER)
    for piece in range(0, size.messages, PIECE):
        waiting: dict[int, list[tuple[int, bytes]]] = {at: [] for at in range(PARTITIONS)}
        for group, content in traffic.piece(min(PIECE, size.messages - piece)):
            partition = placed(group)
            producer.produce(
                plain.topics.raw, key=group.encode(), value=content, partition=partition
            )
            producer.poll(0)
            if maybe_packed is None:
                continue
            waiting[partition].append((0, content))
            if len(waiting[partition]) == ENTRIES:
                bundle = pack(waiting[partition])
                producer.produce(maybe_packed.topics.raw, value=bundle, partition=partition)
                waiting[partition] = []
        for partition, rest in waiting.items():
            if rest and maybe_packed is not None:
                producer.produce(maybe_packed.topics.raw, value=pack(rest), partition=partition)
        producer.flush()


def _faults(kafka: KafkaSettings, size: Size) -> tuple[str, ...]:
    """Every message must have been delivered once in each round."""
    delivered = sum(end_offsets(kafka, kafka.topics.ordered).values())
    expected = size.messages * size.rounds
    if delivered == expected:
        return ()
    return (f"{kafka.topics.ordered} has {delivered} of {expected} messages",)
