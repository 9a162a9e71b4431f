"""Laws of the measurement of causal order."""

from __future__ import annotations

from benchmarks.causal import race_causal
from benchmarks.options import Options


def test_all_is_delivered_with_and_without_jitter() -> None:
    runs, figures = race_causal(Options(messages=1_000, repeats=1))
    assert {run.delivered for run in runs.values()} == {1_000}
    assert set(figures) == {
        "causal_16_members_messages_per_s",
        "causal_16_members_jitter_200_messages_per_s",
    }
