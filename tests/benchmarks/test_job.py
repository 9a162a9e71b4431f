"""The job's benchmark leaves cold batches out and counts messages, not records."""

from __future__ import annotations

from typing import Any

import pytest

from benchmarks.job import GOALS, figures_of, warm_rate


def batch(records: int, spent_ms: int) -> dict[str, Any]:
    """As Spark reports it: what it counts is a row for each partition."""
    source = {"startOffset": {"raw": {"0": 40}}, "endOffset": {"raw": {"0": 40 + records}}}
    return {
        "numInputRows": 1 if records else 0,
        "durationMs": {"triggerExecution": spent_ms},
        "sources": [source],
    }


def test_cold_and_empty_batches_are_left_out() -> None:
    first = [batch(10, 9_000), batch(10, 5_000), batch(10, 100)]
    second = [batch(10, 800), batch(10, 700), batch(0, 70), batch(30, 300)]
    assert warm_rate([first, second], entries=1) == pytest.approx(100.0)


def test_a_packed_record_counts_for_its_entries() -> None:
    turn = [batch(1, 1)] * 2 + [batch(10, 100)]
    assert warm_rate([[], turn], entries=100) == pytest.approx(10_000.0)


def test_a_run_without_a_warm_batch_has_no_rate() -> None:
    assert warm_rate([[batch(10, 10)] * 9], entries=1) == 0.0


def test_every_goal_is_about_a_figure() -> None:
    rates = {"pass_through": 400.0, "plain_job": 100.0, "job": 200.0, "job_packed": 240.0}
    rates |= {"job_cloudevents": 150.0, "job_many_groups": 160.0}
    figures = figures_of(rates)
    assert set(GOALS) < set(figures)
    assert figures["ratio_cloudevents_to_job"] == 0.75
    assert figures["ratio_many_groups_to_job"] == 0.8
    assert figures["ratio_to_pass_through"] == 0.5
    assert figures["ratio_to_plain_job"] == 2
    assert figures["ratio_packed_to_pass_through"] == 0.6
