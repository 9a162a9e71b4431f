"""Laws of the figures."""

from __future__ import annotations

import pytest

from benchmarks.figures import Measured, at_least, at_most, faults_of, number, rounded, short
from benchmarks.timing import Run


def test_a_goal_bounds_from_one_side() -> None:
    assert at_least(10).is_reached(10)
    assert not at_least(10).is_reached(9.9)
    assert at_most(10).is_reached(10)
    assert not at_most(10).is_reached(10.1)
    assert [str(at_least(1_000_000)), str(at_most(1.5))] == ["at least 1,000,000", "at most 1.5"]


def test_a_missed_goal_is_told_and_the_result_is_still_ok() -> None:
    measured = Measured({"a_per_s": 5.0, "b_ns": 2.0}, {"a_per_s": at_least(6), "c": at_most(1)})
    assert measured.as_result() == {
        "ok": True,
        "figures": {"a_per_s": 5.0, "b_ns": 2.0},
        "goals": {"a_per_s": {"at_least": 6, "is_reached": False}},
        "faults": [],
    }
    assert measured.as_rows() == [("a_per_s", "5", "at least 6", "missed"), ("b_ns", "2", "", "")]


def test_a_lost_message_makes_the_result_not_ok() -> None:
    faults = faults_of({"fine": Run(10, 10, 1), "lossy": Run(10, 9, 1)})
    assert faults == ("lossy delivered 9 of 10 messages",)
    assert Measured({}, {}, faults).as_result()["ok"] is False


@pytest.mark.parametrize(
    ("value", "text"), [(1_234_567.8, "1,234,568"), (180, "180"), (3, "3"), (1.023456, "1.02")]
)
def test_a_number_has_as_many_digits_as_it_deserves(value: float, text: str) -> None:
    assert number(value) == text


def test_rounding_keeps_three_digits_or_whole_numbers() -> None:
    assert [rounded(1_234.56), rounded(1.23456)] == [1_235.0, 1.23]


@pytest.mark.parametrize(
    ("count", "text"), [(10_000, "1e4"), (1_000_000, "1e6"), (25_000, "2.5e4")]
)
def test_a_round_number_is_short_in_a_name(count: int, text: str) -> None:
    assert short(count) == text
