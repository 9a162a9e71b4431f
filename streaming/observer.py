"""The observer: looks at the running job from beside it, for its metrics and health answers.

A thread of the driver that reads, once a second: the counters topic, the ends of the raw topic, the
newest records of the ordered topic, and what Spark says of the queries. It decides nothing and
writes nothing; a broker that does not answer leaves the last numbers standing.
"""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from ingest.telemetry.status_server import Condition, Program
from ordering_udfs.group_policies import GroupPolicies
from sinks.errors import SinkError
from sinks.records import Counters, decode_counters
from sinks.settings import KafkaSettings
from sinks.tail import Tail
from streaming.beside import Beside
from streaming.latency import Latency
from streaming.metrics import EXPOSITION
from streaming.progress import offsets_of, records_between
from streaming.vitals import JobVitals, QueryVitals

if TYPE_CHECKING:
    from pyspark.sql.streaming.query import StreamingQuery

LOOK_EVERY_SECONDS = 1.0
SAMPLE_RECORDS = 500
"""Records of the ordered topic that are looked at in one second, of all partitions together."""
MS_PER_SECOND = 1_000
RAN_A_BATCH = "addBatch"
"""The phase that stands in Spark's report of a trigger if and only if it had something to do."""


class Observer(Beside):
    """Started and stopped by the job; `vitals` may be asked from any thread at any time."""

    def __init__(
        self,
        kafka: KafkaSettings,
        *,
        policies: GroupPolicies,
        queries: Callable[[], Mapping[str, StreamingQuery]],
        ticks: Callable[[], int],
    ) -> None:
        super().__init__("observer")
        self._kafka = kafka
        self._queries = queries
        self._ticks = ticks
        self._latency = Latency(policies)
        self._counters: dict[int, Counters] = {}
        self._ends: dict[int, int] = {}
        self._seen: dict[str, tuple[int, float]] = {}
        self._query_vitals: dict[str, QueryVitals] = {}
        self._came_round_at = time.monotonic()
        self.is_ready = False

    def come_round(self) -> None:
        """Take notice that the main loop goes on; called by it."""
        self._came_round_at = time.monotonic()

    def vitals(self) -> JobVitals:
        """Give everything as it was at the last look."""
        counters = dict(self._counters)
        lag = {
            partition: max(0, end - counters.get(partition, Counters(partition)).through_offset - 1)
            for partition, end in self._ends.items()
        }
        return JobVitals(
            now=time.time_ns() // 1_000,
            looked_before_seconds=time.monotonic() - self._came_round_at,
            is_ready=self.is_ready,
            queries=dict(self._query_vitals),
            counters=counters,
            lag=lag,
            latency=dict(self._latency.by_discipline),
            ticks=self._ticks(),
        )

    def _run(self) -> None:
        topics = self._kafka.topics
        with contextlib.ExitStack() as closing:
            counters = closing.enter_context(Tail(self._kafka, topics.counters, newest=1))
            ordered = closing.enter_context(Tail(self._kafka, topics.ordered, newest=0))
            while not self._is_over.is_set():
                with contextlib.suppress(SinkError):
                    self._look_at_topics(counters, ordered)
                self._look_at_queries()
                self._is_over.wait(LOOK_EVERY_SECONDS)

    def _look_at_topics(self, counters: Tail, ordered: Tail) -> None:
        # First of all: of what is ordered, nothing that was there before the first look counts.
        for record in ordered.read(most=SAMPLE_RECORDS):
            self._latency.take(record.key, record.value, written_at=record.written_at)
        ordered.skip_to_newest(SAMPLE_RECORDS)
        for record in counters.read():
            told = decode_counters(record.value)
            self._counters[told.partition] = told
        shards = self._kafka.shards
        self._ends = {
            shards.number(topic, partition): end
            for topic in shards.topics
            for partition, end in counters.ends(topic).items()
        }

    def _look_at_queries(self) -> None:
        now = time.monotonic()
        for name, query in self._queries().items():
            # The bridge to the JVM may be gone while everything ends.
            with contextlib.suppress(Exception):
                maybe_progress = query.lastProgress
                batch = -1 if maybe_progress is None else int(maybe_progress["batchId"])
                was, since = self._seen.get(name, (-2, now))
                if batch != was or not query.status["isDataAvailable"]:
                    since = now
                self._seen[name] = (batch, since)
                found = query_vitals(
                    maybe_progress, is_active=query.isActive, silent_seconds=now - since
                )
                self._query_vitals[name] = with_last_batch(found, self._query_vitals.get(name))


def program_of(observer: Observer) -> Program:
    """How the job is asked how it is."""

    def condition() -> Condition:
        now = observer.vitals()
        return Condition(now.is_live, now.reasons_not_ready())

    return Program(
        "job", "job.status_address", condition, lambda: EXPOSITION.render(observer.vitals())
    )


def with_last_batch(found: QueryVitals, maybe_before: QueryVitals | None) -> QueryVitals:
    """Keep what the last batch did: a trigger that found nothing to do reports as well."""
    if maybe_before is None or RAN_A_BATCH in found.phases:
        return found
    return found._replace(rows=maybe_before.rows, phases=maybe_before.phases)


def query_vitals(
    maybe_progress: Mapping[str, Any] | None, *, is_active: bool, silent_seconds: float
) -> QueryVitals:
    """What Spark's own report of a batch says in our words."""
    if maybe_progress is None:
        return QueryVitals(is_active=is_active, progress_before_seconds=silent_seconds)
    operators = maybe_progress.get("stateOperators") or ()
    return QueryVitals(
        is_active=is_active,
        batch=int(maybe_progress["batchId"]),
        progress_before_seconds=silent_seconds,
        rows=records_between(*offsets_of(maybe_progress)),
        phases={
            phase: took_ms / MS_PER_SECOND
            for phase, took_ms in (maybe_progress.get("durationMs") or {}).items()
        },
        state_memory_bytes=sum(int(one["memoryUsedBytes"]) for one in operators),
    )
