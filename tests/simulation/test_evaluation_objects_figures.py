"""Laws of the objects' figures: shares are percentages, and every mix is at every point."""

from __future__ import annotations

from pathlib import Path

from simulation.evaluation.objects_figures import SMALL_SWEEP_PERCENT, measure, measure_point
from simulation.evaluation.objects_world import Mix
from simulation.evaluation.options import DEFAULT_SEED, Options, Size
from simulation.evaluation.registry import find_evaluation

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs" / "evaluation"


def test_every_mix_has_a_share_at_every_conflict_ratio() -> None:
    figures = measure(Options(size=Size.SMALL))
    assert [point.conflict_percent for point in figures.sweep] == list(SMALL_SWEEP_PERCENT)
    for point in figures.sweep:
        assert [mix.mix for mix in point.mixes] == list(Mix)
        for mix in point.mixes:
            assert 0.0 <= mix.pairs_not_ordered_percent <= 100.0
            assert 0.0 <= mix.direct_not_ordered_percent <= 100.0
            assert mix.direct <= mix.pairs


def test_with_nothing_in_conflict_only_single_senders_are_ordered() -> None:
    none, *_, everything = measure(Options(size=Size.SMALL)).sweep
    for mix in Mix:
        assert none.of(mix).pairs_not_ordered_percent > everything.of(mix).pairs_not_ordered_percent


def test_the_figures_of_the_documents_come_out_again() -> None:
    recorded = find_evaluation("objects").recall((DOCUMENTS / "objects.json").read_bytes())
    first = recorded.at_once[0]
    assert recorded.seed == DEFAULT_SEED
    again = measure_point(
        first.world, first.point.conflict_percent, seed=recorded.seed, runs=recorded.runs
    )
    assert again == first.point
