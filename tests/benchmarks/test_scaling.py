"""Laws of the comparison of group sizes."""

from __future__ import annotations

import pytest

from benchmarks import scaling
from benchmarks.scaling import Track, figures_by_size, run_by_size, sizes_up_to
from benchmarks.timing import Run


@pytest.fixture(autouse=True)
def _small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "SMALLEST", 500)
    monkeypatch.setattr(scaling, "MOST_KEPT", 500)


def test_sizes_grow_tenfold_up_to_the_largest() -> None:
    assert sizes_up_to(50_000) == [500, 5_000, 50_000]
    assert sizes_up_to(49_999) == [500, 5_000]
    assert sizes_up_to(1) == [500]


def test_all_sizes_order_the_same_number_of_messages() -> None:
    runs = run_by_size(5_000)
    assert {size: run.messages for size, run in runs.items()} == {500: 5_000, 5_000: 5_000}
    assert all(run.delivered == run.messages for run in runs.values())


def test_beside_a_very_large_group_the_others_sit_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "MOST_TURNS", 2)
    runs = run_by_size(5_000)
    assert {size: run.messages for size, run in runs.items()} == {500: 1_000, 5_000: 5_000}


def test_a_full_group_makes_way_for_a_new_one() -> None:
    track = Track(500)
    for _ in range(3):
        track.turn()
    assert track.result()[:2] == (1_500, 1_500)


def test_figures_name_sizes_and_ratios(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scaling, "SMALLEST", 10_000)
    by_size = {10_000: Run(10, 10, 1_000), 100_000: Run(10, 10, 1_200)}
    runs, figures = figures_by_size(by_size)
    assert list(runs) == ["groups of 10000", "groups of 100000"]
    assert figures == {
        "cost_per_message_1e4_ns": 100.0,
        "cost_per_message_1e5_ns": 120.0,
        "ratio_cost_per_message_1e5_to_1e4": 1.2,
    }
