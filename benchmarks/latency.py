"""The latency benchmark: from a message's sending to its arrival in the ordered topic.

At 1,000 messages a second, warm, three contestants on one broker and one Spark session take turns:
Spark's own micro-batches from topic to topic, which keep no state (the limit); the job; and a
follower, which reads the raw topic itself. The first turn of each, in which the JVM is still cold,
is left out, as are the first seconds of the others. Every message carries the instant of its
sending, and a reader of the topic subtracts it from its own clock, which is the same. Wall time: a
message that waits for a core is late. docs/BENCHMARKS.md says what each figure means.
"""

from __future__ import annotations

import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks.figures import Measured, at_most, rounded
from benchmarks.job import COLD_TURNS
from benchmarks.job_queries import ordering_job, pass_through
from benchmarks.pacing import Sender
from benchmarks.timing import Say
from deploy.local.broker import Broker
from deploy.local.topics import create_topics, precede_topics
from members.participant import percentile
from sinks.follower import Follower
from sinks.kafka_client import follow_topic
from sinks.records import HEAD_BYTES
from sinks.settings import KafkaSettings
from streaming.policy import group_policies
from streaming.settings import JobSettings
from streaming.spark_options import CHECKPOINT_LOCATION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

PARTITIONS: Final = 2
US_PER_MS: Final = 1_000
_SENT_AT: Final = Struct(">32xQ")

GOALS: Final = {
    "ratio_p50_to_pass_through": at_most(1.4),
    "ratio_p99_to_pass_through": at_most(1.5),
    "follower_p50_ms": at_most(10),
}


class Size(NamedTuple):
    """How much is measured."""

    per_second: int = 1_000
    cold_seconds: float = 12.0
    warm_seconds: float = 20.0
    rounds: int = 3
    """the first of them warms everything up and does not count"""


def measure(*, size: Size = Size(), say: Say) -> Measured:  # noqa: B008 - a frozen value
    """Start everything, let the contestants take turns."""
    from console.local_jars import jars_for
    from streaming.session import open_session

    with tempfile.TemporaryDirectory() as folder, Broker() as broker:
        settings = JobSettings(
            scratch_directory=str(Path(folder) / "spark"),
            checkpoint_directory=str(Path(folder) / "checkpoint"),
        )
        say("starting Spark")
        session = open_session(settings, jars=jars_for(settings.spark_master))
        waits: dict[str, list[int]] = {"pass_through": [], "job": [], "follower": []}
        try:
            for number in range(size.rounds):
                for name, found in waits.items():
                    say(f"round {number + 1} of {size.rounds}: {name}")
                    prefix = f"latency-{name}-{number}"
                    create_topics(
                        broker.bootstrap, precede_topics(prefix=prefix, partitions=PARTITIONS)
                    )
                    kafka = KafkaSettings(
                        bootstrap=broker.bootstrap, topic_prefix=prefix, partitions=PARTITIONS
                    )
                    taken = _turn(name, session, kafka, settings, size, Path(folder) / prefix)
                    if number >= COLD_TURNS:
                        found += taken
        finally:
            session.stop()
    faults = tuple(f"{name} delivered nothing" for name, found in waits.items() if not found)
    return Measured({} if faults else figures_of(waits), GOALS, faults)


def figures_of(waits: dict[str, list[int]]) -> dict[str, float]:
    """Medians and 99th percentiles, in milliseconds, and the job's ratios to the limit."""
    figures: dict[str, float] = {}
    for name, found in waits.items():
        ascending = sorted(found)
        for share in (50, 99):
            figures[f"{name}_p{share}_ms"] = rounded(percentile(ascending, share) / US_PER_MS)
        figures[f"{name}_messages"] = len(found)
    for share in (50, 99):
        ratio = figures[f"job_p{share}_ms"] / figures[f"pass_through_p{share}_ms"]
        figures[f"ratio_p{share}_to_pass_through"] = rounded(ratio)
    return figures


def _turn(
    name: str,
    session: SparkSession,
    kafka: KafkaSettings,
    settings: JobSettings,
    size: Size,
    checkpoint: Path,
) -> list[int]:
    """Run one contestant under load; give the microseconds that each warm message took."""
    ends_at = time.monotonic() + size.cold_seconds + size.warm_seconds

    def is_over() -> bool:
        return time.monotonic() > ends_at

    with Sender(kafka, per_second=size.per_second) as sender:
        if name == "follower":
            arrivals = _followed(kafka, settings, is_over)
        else:
            query = pass_through if name == "pass_through" else ordering_job
            writer = query(session, kafka, settings).option(CHECKPOINT_LOCATION, str(checkpoint))
            trigger = f"{settings.trigger_interval_ms} milliseconds"
            started = writer.trigger(processingTime=trigger).start()
            head = 0 if name == "pass_through" else HEAD_BYTES
            arrivals = _in_topic(kafka, head, is_over)
        warm_from = int((time.time() + size.cold_seconds) * 1_000_000)
        with _collected(arrivals) as waits:
            while not is_over():
                time.sleep(0.1)
        sender.stop()
        if name != "follower":
            started.stop()
    return [arrived - sent for sent, arrived in waits if sent >= warm_from]


Arrivals = Iterator[list[tuple[int, int]]]
"""Lists of pairs: when a message was sent, and when it arrived."""


def _in_topic(kafka: KafkaSettings, head: int, is_over: Callable[[], bool]) -> Arrivals:
    for records in follow_topic(kafka, kafka.topics.ordered, is_over=is_over, wait_seconds=0.001):
        now = time.time_ns() // 1_000
        yield [(_SENT_AT.unpack_from(record.value, head)[0], now) for record in records]


def _followed(kafka: KafkaSettings, settings: JobSettings, is_over: Callable[[], bool]) -> Arrivals:
    with Follower(kafka, policies=group_policies(settings)) as follower:
        while not is_over():
            records = follower.read(timeout=0.001)
            now = time.time_ns() // 1_000
            yield [(_SENT_AT.unpack_from(record.value, HEAD_BYTES)[0], now) for record in records]


@contextmanager
def _collected(arrivals: Arrivals) -> Iterator[list[tuple[int, int]]]:
    """Collect what arrives, in a thread of its own, until the arrivals are over."""
    found: list[tuple[int, int]] = []

    def collect() -> None:
        for some in arrivals:
            found.extend(some)

    thread = threading.Thread(target=collect, name="arrivals")
    thread.start()
    try:
        yield found
    finally:
        thread.join()
