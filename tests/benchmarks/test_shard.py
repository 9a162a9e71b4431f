"""The shard's benchmark delivers everything it measures."""

from __future__ import annotations

from benchmarks.shard import GOALS, measure


def test_a_small_run_is_whole_and_has_every_figure() -> None:
    told: list[str] = []
    measured = measure(messages=2_000, groups=20, repeats=1, say=told.append)
    assert not measured.faults
    assert set(GOALS) <= set(measured.figures)
    assert all(figure > 0 for figure in measured.figures.values())
    assert told
