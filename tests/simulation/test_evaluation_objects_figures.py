"""Laws of the objects' figures: shares are percentages, and every mix is at every point."""

from __future__ import annotations

from simulation.evaluation.objects_figures import SMALL_SWEEP_PERCENT, measure
from simulation.evaluation.objects_world import Mix
from simulation.evaluation.options import Options, Size


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
