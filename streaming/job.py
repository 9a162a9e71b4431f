"""The job's life: the same start every time, two queries side by side, a stop that loses nothing.

start   check the topics and the checkpoint; start the ordering query, then make the tables and
        start the history query
run     until a stop is asked for, or a query fails; ticks move the log's time on meanwhile, and
        members that ask for what they lack are answered from the tables
stop    let the batch that runs finish, then stop both; what is not done yet is done by the
        next start
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ingest.telemetry.journal import Level, Tell, silent
from ingest.telemetry.status_server import StatusServer
from ordering_udfs.group_policies import GroupPolicies
from sinks.kafka_client import partition_count
from sinks.settings import KafkaSettings
from sinks.tables import create_tables
from streaming.answering import Answering
from streaming.checkpoint_lock import checkpoint_lock
from streaming.errors import CheckpointError, QueryError, broker_classified, classify
from streaming.history_query import history_writer
from streaming.lineage import reported
from streaming.manifest import new_manifest, open_manifest
from streaming.observer import Observer, program_of
from streaming.ordering_query import ordering_writer
from streaming.policy import policies_text
from streaming.session import open_session
from streaming.settings import JobSettings
from streaming.spark_options import CHECKPOINT_LOCATION
from streaming.ticker import Ticker

if TYPE_CHECKING:
    from pyspark.sql import SparkSession
    from pyspark.sql.streaming.query import StreamingQuery
    from pyspark.sql.streaming.readwriter import DataStreamWriter

ORDERING, HISTORY = "ordering", "history"
POLL_SECONDS = 0.1
# A batch that has not finished by then is left to the next start, which does it again.
STOP_PATIENCE_SECONDS = 30.0


class Job:
    """Both queries in one Spark application. Used by `precede run`, the demo and the tests."""

    def __init__(
        self,
        session: SparkSession,
        *,
        kafka: KafkaSettings,
        settings: JobSettings,
        policies: GroupPolicies,
        tell: Tell = silent,
    ) -> None:
        self._session = session
        self._kafka = kafka
        self._settings = settings
        self._policies = policies
        self._tell = tell
        self._queries: dict[str, StreamingQuery] = {}

    def drain(self) -> None:
        """Order all that the raw topic holds now, write it to the tables, and return.

        Writes no ticks: the log's time stands still.
        """
        with self._held():
            for start in (self._start_ordering, self._start_history):
                with _classified():
                    start({"availableNow": True}).awaitTermination()

    def run(self, *, is_stopping: Callable[[], bool], on_ready: Callable[[], None]) -> None:
        """Order until a stop is asked for; a failed query raises a `JobError`.

        `on_ready` is called once, when the ordering query has been through its first trigger. The
        history query starts after that: making the tables takes seconds on a first start, and no
        message needs to wait for them.
        """
        with self._held():
            self._run(is_stopping, on_ready)

    @contextmanager
    def _held(self) -> Iterator[None]:
        """Hold the checkpoint, if it is ours to go on from, and tell the catalogue of the run."""
        with ExitStack() as parts:
            with _classified():
                parts.enter_context(checkpoint_lock(self._settings.checkpoint_directory))
            self._check_checkpoint()
            parts.enter_context(reported(self._kafka, self._settings, tell=self._tell))
            yield

    def _run(self, is_stopping: Callable[[], bool], on_ready: Callable[[], None]) -> None:
        trigger = {"processingTime": f"{self._settings.trigger_interval_ms} milliseconds"}
        ticker = Ticker(self._kafka, pace_ms=self._settings.tick_interval_ms)
        with self._observed(ticker) as observer:
            self._queries[ORDERING] = self._start_ordering(trigger)
            ordering = self._queries[ORDERING]
            self._watch(lambda: is_stopping() or _is_waiting(ordering), observer)
            if not is_stopping():
                observer.is_ready = True
                on_ready()
                answering = Answering(self._kafka, tables_directory=self._settings.tables_directory)
                ticker.start()
                try:
                    self._queries[HISTORY] = self._start_history(trigger)
                    self._tell(Level.INFO, "history_started", "The tables follow the topics")
                    answering.start()
                    self._watch(is_stopping, observer)
                finally:
                    answering.stop()
                    ticker.stop()
            self._tell(Level.INFO, "stopping", "Letting the batches that run finish")
            self.stop()

    @contextmanager
    def _observed(self, ticker: Ticker) -> Iterator[Observer]:
        """Look at the job from beside it, and answer whoever asks how it is."""
        observer = Observer(
            self._kafka,
            policies=self._policies,
            queries=lambda: dict(self._queries),
            ticks=lambda: ticker.written,
        )
        server = StatusServer(
            self._settings.status_address, program=program_of(observer), tell=self._tell
        )
        observer.start()
        server.start()
        try:
            yield observer
        finally:
            server.close()
            observer.stop()

    def _watch(self, is_over: Callable[[], bool], observer: Observer) -> None:
        while not is_over():
            observer.come_round()
            self._check()
            time.sleep(POLL_SECONDS)

    def stop(self) -> None:
        """Let the running batches finish, then stop; one that hangs is left to the next start."""
        for name in list(self._queries):
            _finish_batch(self._queries[name], patience_seconds=STOP_PATIENCE_SECONDS)
            self._check()
            self._queries.pop(name).stop()

    def _check(self) -> None:
        for query in self._queries.values():
            maybe_error = query.exception()
            if maybe_error is not None:
                raise classify(maybe_error)
            if not query.isActive:
                raise QueryError("the job stopped: a query ended without saying why (see the log)")

    def _check_checkpoint(self) -> None:
        """Refuse a checkpoint that was made for something else."""
        wanted = new_manifest(
            raw_topics=self._kafka.shards.topics,
            tasks=self._settings.tasks,
            policies=policies_text(self._settings),
        )
        with _classified():
            open_manifest(self._session, self._settings.checkpoint_directory, wanted)

    def _start_ordering(self, trigger: dict[str, Any]) -> StreamingQuery:
        with _classified():
            writer = ordering_writer(
                self._session, kafka=self._kafka, job=self._settings, policies=self._policies
            )
            return self._started(writer.trigger(**trigger), ORDERING)

    def _start_history(self, trigger: dict[str, Any]) -> StreamingQuery:
        with _classified():
            create_tables(self._session, self._settings.tables_directory)
            writer = history_writer(self._session, kafka=self._kafka, job=self._settings)
            return self._started(writer.trigger(**trigger), HISTORY)

    def _started(self, writer: DataStreamWriter, name: str) -> StreamingQuery:
        location = f"{self._settings.checkpoint_directory.rstrip('/')}/{name}"
        return writer.option(CHECKPOINT_LOCATION, location).start()


def check_topics(kafka: KafkaSettings) -> None:
    """Refuse a broker that does not answer, a topic that is missing or has other partitions."""
    shards = kafka.shards
    written = kafka.topics._asdict().items()
    wanted = shards.topics | {
        topic: shards.number_of_shards for name, topic in written if name != "raw"
    }
    for topic, partitions in wanted.items():
        with broker_classified():
            found = partition_count(kafka, topic)
        if found == partitions:
            continue
        if kafka.raw_topics:
            raise CheckpointError(
                f"{topic} has {found} partitions, and kafka.raw_topics asks for {partitions}: say "
                "there how many each raw topic has, and give every other topic as many as all of "
                "them together"
            )
        raise CheckpointError(
            f"{topic} has {found} partitions, kafka.partitions is {kafka.partitions}: set it "
            f"to {found}, or make the topic anew (every topic needs the same number)"
        )


@contextmanager
def _classified() -> Iterator[None]:
    """Turn whatever Spark raises into the sentence that an operator needs."""
    try:
        yield
    except Exception as error:
        raise classify(error) from error


def _is_waiting(query: StreamingQuery) -> bool:
    """Has this query been through a trigger, with or without data?"""
    return query.lastProgress is not None or "Waiting for" in query.status["message"]


def _finish_batch(query: StreamingQuery, *, patience_seconds: float) -> None:
    """Wait until the batch that runs now is done."""
    deadline = time.monotonic() + patience_seconds
    first = _last_batch(query)
    while query.isActive and time.monotonic() < deadline:
        if not query.status["isTriggerActive"] or _last_batch(query) != first:
            return
        time.sleep(POLL_SECONDS / 5)


def _last_batch(query: StreamingQuery) -> int:
    maybe_progress = query.lastProgress
    return -1 if maybe_progress is None else int(maybe_progress["batchId"])


def open_job(
    *,
    kafka: KafkaSettings,
    settings: JobSettings,
    policies: GroupPolicies,
    jars: list[Path],
    tell: Tell = silent,
) -> Job:
    """A job with a session of its own. The topics are checked first: a session takes seconds."""
    check_topics(kafka)
    with _classified():
        session = open_session(settings, jars=jars)
    return Job(session, kafka=kafka, settings=settings, policies=policies, tell=tell)
