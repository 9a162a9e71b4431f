"""The soak compares the last third of its looks with the one before."""

from __future__ import annotations

from benchmarks.soak import GOALS, Look, figures_of


def test_growth_after_the_first_third_is_found_and_warming_up_is_not() -> None:
    flat = [Look(10, 5)] * 3 + [Look(100, 50)] * 6
    figures = figures_of(flat, [40, 40], pace=7, delivered=600, minutes=1.0)
    assert figures["ratio_jvm_last_third_to_second"] == 1
    assert figures["delivered_messages_per_s"] == 10
    grown = figures_of(
        [*flat, Look(150, 51), *flat[:2]], [40, 50], pace=7, delivered=600, minutes=1.0
    )
    assert grown["ratio_jvm_last_third_to_second"] == 1.5
    assert grown["ratio_heap_last_third_to_second"] == 1.25
    assert set(GOALS) < set(figures)


def test_a_short_run_has_figures_too() -> None:
    figures = figures_of([Look(4, 2)], [3, 3], pace=1, delivered=1, minutes=1.0)
    assert figures["jvm_last_third_bytes"] == 4
