"""The job's metrics: every name with its meaning, and where its value comes from.

    counters topic      what the workers know of each raw partition: functions of the log
    query progress      what Spark says of each query's last batch
    ordered topic       how long messages took, of a sample (`streaming/latency.py`)

docs/reference/metrics.md is made from the table below:

    python -m streaming.metrics > docs/reference/metrics.md
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Final

from ingest.telemetry.exposition import Exposition, Metric, MetricKind
from streaming.vitals import JobVitals

PREFIX: Final = "precede_job_"
US_PER_SECOND: Final = 1_000_000

_COUNTER, _GAUGE, _HISTOGRAM = MetricKind.COUNTER, MetricKind.GAUGE, MetricKind.HISTOGRAM


def _counted(name: str) -> Callable[[JobVitals], dict[str, float]]:
    return lambda vitals: {str(p): getattr(c, name) for p, c in vitals.counters.items()}


def _oldest(vitals: JobVitals) -> dict[str, float]:
    return {
        str(p): max(0.0, (vitals.now - c.oldest_held_at) / US_PER_SECOND) if c.oldest_held_at else 0
        for p, c in vitals.counters.items()
    }


def _reasons(vitals: JobVitals) -> dict[str, float]:
    total: Counter[str] = Counter()
    for counters in vitals.counters.values():
        total.update(counters.reasons)
    return dict(total)


def _phases(vitals: JobVitals) -> dict[tuple[str, str], float]:
    return {
        (name, phase): seconds
        for name, query in vitals.queries.items()
        for phase, seconds in query.phases.items()
    }


METRICS: Final[tuple[Metric[JobVitals], ...]] = (
    Metric("captured_total", _COUNTER, "Messages in the raw topic that the job has looked at.",
           _counted("captured"), ("partition",)),
    Metric("delivered_total", _COUNTER, "Messages that were given a position.",
           _counted("delivered"), ("partition",)),
    Metric("duplicates_total", _COUNTER, "Messages that were captured again and dropped.",
           _counted("duplicates"), ("partition",)),
    Metric("quarantined_total", _COUNTER, "What will not be delivered, by reason.",
           _reasons, ("reason",)),
    Metric("membership_total", _COUNTER, "What members told about groups.",
           _counted("membership"), ("partition",)),
    Metric("held", _GAUGE, "Messages that wait for something.", _counted("held"), ("partition",)),
    Metric("oldest_held_seconds", _GAUGE,
           "How long ago the oldest message was captured that was held at the last tick; else 0.",
           _oldest, ("partition",)),
    Metric("gaps", _GAUGE, "What is missing while others wait for it, as of the last tick.",
           _counted("gaps"), ("partition",)),
    Metric("groups", _GAUGE, "Groups that have a state.", _counted("groups"), ("partition",)),
    Metric("state_bytes", _GAUGE, "The state of a raw partition, as it travels to a worker.",
           _counted("state_bytes"), ("partition",)),
    Metric("lag_records", _GAUGE, "Records of the raw topic that were not ordered yet.",
           lambda v: {str(p): n for p, n in v.lag.items()}, ("partition",)),
    Metric("latency_seconds", _HISTOGRAM,
           "From capture to the record in the ordered topic, of a sample of the deliveries, by the "
           "discipline that the configuration gives to the group.",
           lambda v: dict(v.latency), ("discipline",)),
    Metric("ticks_total", _COUNTER, "Ticks that this run has written.", lambda v: v.ticks),
    Metric("query_up", _GAUGE, "1 if the query runs.",
           lambda v: {n: float(q.is_active) for n, q in v.queries.items()}, ("query",)),
    Metric("query_batch", _GAUGE, "Number of the query's last batch.",
           lambda v: {n: q.batch for n, q in v.queries.items()}, ("query",)),
    Metric("query_batch_records", _GAUGE, "Records that the query's last batch took in.",
           lambda v: {n: q.rows for n, q in v.queries.items()}, ("query",)),
    Metric("query_progress_before_seconds", _GAUGE, "How long ago the query last got on.",
           lambda v: {n: q.progress_before_seconds for n, q in v.queries.items()}, ("query",)),
    Metric("batch_seconds", _GAUGE,
           "How long the query's last batch took by Spark's phases; triggerExecution is all of it.",
           _phases, ("query", "phase")),
    Metric("state_store_memory_bytes", _GAUGE, "What Spark's state store takes in memory.",
           lambda v: {n: q.state_memory_bytes for n, q in v.queries.items()}, ("query",)),
    Metric("looked_before_seconds", _GAUGE, "How long ago the main loop last came round.",
           lambda v: v.looked_before_seconds),
)  # fmt: skip

EXPOSITION: Final = Exposition(PREFIX, METRICS)

_HEAD: Final = """# The job's metrics

At `http://127.0.0.1:9481/metrics` (`job.status_address`), in Prometheus' text form, while `precede
run` runs; `/livez` and `/readyz` answer there too. The agent's are on a
[page of their own](../edge/metrics.md). This page is made from the code:
`python -m streaming.metrics > docs/reference/metrics.md`.

What is counted by `partition` comes from the job's state, so it goes on where the last run stopped;
`partition` is the raw partition (shard). `latency_seconds` and `ticks_total` begin at 0 with each
run. The latency is measured beside the job, from the time that stands on a record of the ordered
topic and the time of its capture, so that no clock decides anything in what is written. At most
some hundred records are looked at in a second; a group whose policy `precede policy` changed counts
under the discipline of the configuration.

"""


def reference_page() -> str:
    """The page that lists them all."""
    return _HEAD + EXPOSITION.table()


if __name__ == "__main__":
    print(reference_page(), end="")
