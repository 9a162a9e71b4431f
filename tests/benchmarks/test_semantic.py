"""Laws of the race in semantic order."""

from __future__ import annotations

import pytest

from benchmarks.arrivals import backwards, in_order
from benchmarks.options import Options
from benchmarks.semantic import figure_name, held_percent, race_semantic, ratios
from benchmarks.timing import Run

SMALL = Options(messages=1_500, naive_messages=500, repeats=1)


@pytest.mark.parametrize("jitter", [200, 1_000])
def test_everyone_delivers_everything_and_has_a_rate(jitter: int) -> None:
    runs, figures = race_semantic(jitter, SMALL)
    assert all(run.delivered == run.messages for run in runs.values())
    assert f"semantic_jitter_{jitter}_messages_per_s" in figures
    assert f"naive_jitter_{jitter}_messages_per_s" in figures
    assert all(figure > 0 for figure in figures.values())


def test_the_variant_stands_behind_the_jitter() -> None:
    assert figure_name("semantic", 200) == "semantic_jitter_200_messages_per_s"
    assert figure_name("semantic_close", 200) == "semantic_jitter_200_close_messages_per_s"


def test_a_ratio_is_how_many_times_as_fast_the_engine_is() -> None:
    runs = {
        "semantic": Run(100, 100, 10),
        "naive": Run(100, 100, 40),
        "graphlib": Run(100, 100, 30),
        "networkx": Run(100, 100, 50),
    }
    assert ratios(runs, 200) == {"ratio_to_naive": 4.0, "ratio_to_topological_sort": 3.0}


def test_without_a_sort_there_is_no_ratio_to_one() -> None:
    runs = {"semantic": Run(100, 100, 10), "naive": Run(100, 100, 40)}
    assert ratios(runs, 1_000) == {"ratio_to_naive_jitter_1000": 4.0}


def test_held_is_the_share_that_has_to_wait() -> None:
    assert held_percent(list(in_order(100))) == 0
    assert held_percent(list(backwards(100))) == 99
