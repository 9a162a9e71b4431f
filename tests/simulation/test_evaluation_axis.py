"""Laws of an axis: all values fit, ticks are round, places are in proportion."""

from __future__ import annotations

import pytest

from simulation.evaluation.axis import MOST_TICKS, axis_for, tick_label
from simulation.evaluation.page import Scale


@pytest.mark.parametrize(
    ("low", "high"), [(0.0, 1.0), (0.0, 3.3), (1.0, 9.0), (0.0, 100.0), (-2.0, 17.0), (5.0, 5.0)]
)
def test_every_value_lies_between_the_outer_ticks(low: float, high: float) -> None:
    axis = axis_for([low, high], start=0, end=100)
    assert axis.ticks[0] <= low
    assert axis.ticks[-1] >= high
    assert 2 <= len(axis.ticks) <= MOST_TICKS + 2


def test_a_value_is_placed_in_proportion_and_an_outlier_at_the_end() -> None:
    axis = axis_for([0.0, 100.0], start=50, end=250)
    assert axis.place(0) == 50
    assert axis.place(50) == 150
    assert axis.place(1000) == 250


def test_a_logarithmic_axis_has_powers_of_ten_and_leaves_zero_out() -> None:
    axis = axis_for([0.0, 0.4, 900.0], start=0, end=400, scale=Scale.LOGARITHMIC)
    assert axis.ticks == (0.1, 1.0, 10.0, 100.0, 1000.0)
    assert axis.place(10.0) == pytest.approx(200)
    assert axis.place(0.0) == 0


def test_ticks_are_written_as_people_write_them() -> None:
    assert [tick_label(v) for v in (0, 0.5, 20.0, 1000.0, 2.5)] == [
        "0",
        "0.5",
        "20",
        "1,000",
        "2.5",
    ]
