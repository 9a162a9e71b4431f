"""Laws of the SCO figures: every scheme at every point, as ratios to C0."""

from __future__ import annotations

from pathlib import Path

from simulation.evaluation.options import DEFAULT_SEED, Options, Size
from simulation.evaluation.registry import find_evaluation
from simulation.evaluation.sco_figures import (
    FULL_UNITS,
    SMALL_DESTINATIONS_SWEEP,
    SMALL_PATIENCE_SWEEP,
    Sweep,
    measure,
)
from simulation.evaluation.sco_model import Scheme, Timer

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs" / "evaluation"


def test_both_sweeps_have_all_schemes_as_ratios_to_c0() -> None:
    figures = measure(Options(size=Size.SMALL))
    assert [p.patience_units for p in figures.against_patience] == list(SMALL_PATIENCE_SWEEP)
    assert [p.destinations for p in figures.against_destinations] == list(SMALL_DESTINATIONS_SWEEP)
    for point in (*figures.against_patience, *figures.against_destinations):
        assert [scheme.scheme for scheme in point.schemes] == list(Scheme)
        plain = point.of(Scheme.C0)
        assert (plain.messages_ratio, plain.full_delay_ratio) == (1.0, 1.0)
        for scheme in point.schemes:
            expected = scheme.messages_per_data_message / plain.messages_per_data_message
            assert abs(scheme.messages_ratio - expected) < 0.001


def test_the_figures_of_the_documents_come_out_again() -> None:
    recorded = find_evaluation("sco").recall((DOCUMENTS / "sco.json").read_bytes())
    again = Sweep(recorded.seed, recorded.warm_up_units, recorded.measured_units)
    first = recorded.against_patience[0]
    assert again.point(first.patience_units, first.destinations, Timer.LAST_SENT) == first
    assert (recorded.seed, recorded.measured_units) == (DEFAULT_SEED, FULL_UNITS[1])
