"""The soak: the job for a long time at half of what it can take, and what memory it needs.

    precede bench soak --minutes 5              # half an hour unless told

A broker and a Spark session of its own. First as much as there is, to see what the job can take
here; then messages at half that pace, packed as agents pack them, with the history query beside the
ordering query. Every few seconds the resident memory of the JVM (the driver, which is the executor
too) and of the Python processes (this one and the workers) is looked at. Memory is flat if the most
of the last third is little more than the most of the third before it. A JVM takes what it may
(`job.driver_memory`) sooner or later, however little it keeps; so what its heap still holds when it
has been searched is told too, at the end of each of the two thirds.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from benchmarks.figures import Measured, at_most, rounded
from benchmarks.job import new_topics
from benchmarks.job_queries import ordering_job
from benchmarks.memory import resident_bytes
from benchmarks.pacing import Sender
from benchmarks.timing import Say
from deploy.local.broker import Broker
from sinks.kafka_client import end_offsets
from sinks.settings import KafkaSettings
from sinks.tables import create_tables
from streaming.history_query import history_writer
from streaming.settings import JobSettings
from streaming.spark_options import CHECKPOINT_LOCATION

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

MINUTES: Final = 30.0
LOOK_EVERY_S: Final = 5.0
COLD_SECONDS: Final = 40.0
"""In which the JVM warms up and nothing is counted."""
TRIAL_SECONDS: Final = 20.0
TRIAL_PER_SECOND: Final = 400_000
"""More than the job can take; the sender is part of the load."""
ENTRIES: Final = 100
GROWTH: Final = 1.1

GOALS: Final = {
    "ratio_jvm_last_third_to_second": at_most(GROWTH),
    "ratio_python_last_third_to_second": at_most(GROWTH),
    "ratio_heap_last_third_to_second": at_most(GROWTH),
}


class Look(NamedTuple):
    """Resident memory at one moment."""

    jvm_bytes: int
    python_bytes: int


def measure(*, minutes: float = MINUTES, say: Say) -> Measured:
    """Find out the pace, then keep half of it."""
    from console.local_jars import jars_for
    from streaming.session import open_session

    with tempfile.TemporaryDirectory() as folder, Broker() as broker:
        settings = JobSettings(
            scratch_directory=str(Path(folder) / "spark"),
            checkpoint_directory=str(Path(folder) / "checkpoint"),
            tables_directory=str(Path(folder) / "tables"),
        )
        session = open_session(settings, jars=jars_for(settings.spark_master))
        try:
            say(f"looking for the pace, {COLD_SECONDS + TRIAL_SECONDS:.0f} s")
            trial = new_topics(broker.bootstrap, "trial")
            with _queries(session, trial, settings, Path(folder) / "trial"):
                pace = int(_most_per_second(trial) / 2)
            say(f"{pace:,} messages/s for {minutes:g} minutes")
            kafka = new_topics(broker.bootstrap, "soak")
            with _queries(session, kafka, settings, Path(folder) / "soak"):
                delivered, looks, kept = _load(session, kafka, pace, minutes * 60)
        finally:
            session.stop()
    figures = figures_of(looks, kept, pace=pace, delivered=delivered, minutes=minutes)
    return Measured(figures, GOALS)


def figures_of(
    looks: Sequence[Look], kept: Sequence[int], *, pace: int, delivered: int, minutes: float
) -> dict[str, float]:
    """The most of each third, and the ratio of the last two: the first is still warming up.

    `kept` is what the heap held at the ends of those two.
    """
    third = max(1, len(looks) // 3)
    second, last = looks[third : 2 * third] or looks, looks[2 * third :] or looks
    figures = {
        "minutes": minutes,
        "pace_messages_per_s": float(pace),
        "delivered_messages": float(delivered),
        "delivered_messages_per_s": rounded(delivered / (60 * minutes)),
    }
    for name, at in (("jvm", 0), ("python", 1)):
        before, after = max(one[at] for one in second), max(one[at] for one in last)
        figures[f"{name}_second_third_bytes"] = float(before)
        figures[f"{name}_last_third_bytes"] = float(after)
        figures[f"ratio_{name}_last_third_to_second"] = rounded(after / before)
    figures["heap_second_third_bytes"], figures["heap_last_third_bytes"] = map(float, kept)
    figures["ratio_heap_last_third_to_second"] = rounded(kept[1] / kept[0])
    return figures


@contextmanager
def _queries(
    session: SparkSession, kafka: KafkaSettings, settings: JobSettings, folder: Path
) -> Iterator[None]:
    """Both queries of the job, as `precede run` has them."""
    trigger = f"{settings.trigger_interval_ms} milliseconds"
    create_tables(session, settings.tables_directory)
    running = [
        writer.option(CHECKPOINT_LOCATION, str(folder / name))
        .trigger(processingTime=trigger)
        .start()
        for name, writer in (
            ("ordering", ordering_job(session, kafka, settings)),
            ("history", history_writer(session, kafka=kafka, job=settings)),
        )
    ]
    try:
        yield
    finally:
        for query in running:
            query.stop()


def _most_per_second(kafka: KafkaSettings) -> float:
    """Send more than the job can take, and see what it takes when it is warm."""
    with Sender(kafka, per_second=TRIAL_PER_SECOND, entries=ENTRIES):
        time.sleep(COLD_SECONDS)
        before = _delivered(kafka)
        time.sleep(TRIAL_SECONDS)
        return (_delivered(kafka) - before) / TRIAL_SECONDS


def _delivered(kafka: KafkaSettings) -> int:
    return sum(end_offsets(kafka, kafka.topics.ordered).values())


def _load(
    session: SparkSession, kafka: KafkaSettings, per_second: int, seconds: float
) -> tuple[int, list[Look], list[int]]:
    """Send at a pace for a while; give how many were delivered by its end, the looks, and what the
    heap held at the ends of the last two thirds.
    """
    looks: list[Look] = []
    kept: list[int] = []
    began_at = time.monotonic()
    with Sender(kafka, per_second=per_second, entries=ENTRIES):
        for third in (2, 3):
            while time.monotonic() < began_at + seconds * third / 3:
                time.sleep(min(LOOK_EVERY_S, seconds / 10))
                resident = resident_bytes(os.getpid())
                looks.append(Look(resident.get("java", 0), resident.get("python", 0)))
            kept.append(_heap_bytes(session))
        return _delivered(kafka), looks, kept


def _heap_bytes(session: SparkSession) -> int:
    """What the heap holds when all that nobody needs has been taken away."""
    runtime: Any = session._jvm
    runtime.java.lang.System.gc()
    memory = runtime.java.lang.management.ManagementFactory.getMemoryMXBean()
    return int(memory.getHeapMemoryUsage().getUsed())
