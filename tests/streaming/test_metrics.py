"""Every number of the job is one that Prometheus reads, and the page says what it means."""

from __future__ import annotations

import re
from pathlib import Path

from ingest.telemetry.exposition import Distribution, MetricKind
from sinks.records import Counters
from streaming.metrics import EXPOSITION, METRICS, reference_page
from streaming.vitals import QueryVitals
from tests.streaming.test_vitals import job

PAGE = Path(__file__).parents[2] / "docs" / "reference" / "metrics.md"
LINE = re.compile(r'precede_job_[a-z_]+(\{([a-zA-Z]+="[^"]*",?)+\})? -?\d+(\.\d+)?(e-\d+)?')

COUNTERS = {
    0: Counters(0, 9, captured=20, delivered=11, held=2, duplicates=3, quarantined=4, groups=5,
                gaps=1, oldest_held_at=500_000, state_bytes=700, reasons={"forged": 3, "cycle": 1}),
    1: Counters(1, 4, captured=5, delivered=5, quarantined=1, reasons={"forged": 1}),
}  # fmt: skip


def text() -> str:
    fast = Distribution((0.5, 1.0))
    fast.add(0.25)
    query = QueryVitals(True, 7, 0.5, 100, {"addBatch": 0.25, "walCommit": 0.01}, 4_096)
    return EXPOSITION.render(
        job(counters=COUNTERS, latency={"fifo": fast}, queries={"ordering": query}, lag={0: 6})
    )


def test_every_line_is_one_that_prometheus_reads() -> None:
    for line in text().splitlines():
        assert re.match(r"# (HELP|TYPE) precede_job_[a-z_]+ \S", line) or LINE.fullmatch(line), line


def test_what_an_operator_asks_for_is_there() -> None:
    for line in (
        'precede_job_delivered_total{partition="0"} 11',
        'precede_job_duplicates_total{partition="0"} 3',
        'precede_job_held{partition="0"} 2',
        'precede_job_oldest_held_seconds{partition="0"} 1.5',
        'precede_job_oldest_held_seconds{partition="1"} 0',
        'precede_job_gaps{partition="0"} 1',
        'precede_job_quarantined_total{reason="forged"} 4',
        'precede_job_lag_records{partition="0"} 6',
        'precede_job_state_bytes{partition="0"} 700',
        'precede_job_batch_seconds{query="ordering",phase="addBatch"} 0.25',
        'precede_job_latency_seconds_bucket{discipline="fifo",le="0.5"} 1',
        'precede_job_latency_seconds_count{discipline="fifo"} 1',
        'precede_job_state_store_memory_bytes{query="ordering"} 4096',
    ):
        assert f"\n{line}\n" in text(), line


def test_counters_are_named_as_counters_and_no_name_is_used_twice() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        assert metric.name.endswith("_total") == (metric.kind is MetricKind.COUNTER)
        assert metric.help.endswith(".")


def test_the_page_is_the_one_that_the_code_makes() -> None:
    assert PAGE.read_text(encoding="utf-8") == reference_page()
