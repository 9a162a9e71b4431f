"""The tables' benchmark measures what its goal is about."""

from __future__ import annotations

from benchmarks.registry import BENCHMARKS
from benchmarks.tables import GOALS, Size


def test_its_goal_is_a_share_of_the_limit_and_a_cold_turn_comes_first() -> None:
    assert list(GOALS) == ["ratio_with_tables_to_pass_through"]
    assert GOALS["ratio_with_tables_to_pass_through"].is_reached(0.2)
    assert Size().cold_turns > 0
    assert "tables" in BENCHMARKS
