"""The latency figures are medians and tails, and ratios to the limit."""

from __future__ import annotations

from benchmarks.latency import GOALS, figures_of


def test_figures_are_in_milliseconds_and_ratios_within_the_run() -> None:
    waits = {
        "pass_through": [200_000] * 99 + [400_000],
        "job": [600_000] + [250_000] * 99,
        "follower": [3_000],
    }
    figures = figures_of(waits)
    assert figures["job_p50_ms"] == 250
    assert figures["job_p99_ms"] == 600
    assert figures["ratio_p50_to_pass_through"] == 1.25
    assert figures["ratio_p99_to_pass_through"] == 1.5
    assert set(GOALS) < set(figures)
