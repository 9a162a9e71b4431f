"""Laws of the registry: figures survive being recorded, and an unknown name lists the known."""

from __future__ import annotations

import pytest

from simulation.evaluation.errors import UnknownEvaluationError
from simulation.evaluation.options import Options, Size
from simulation.evaluation.registry import EVALUATIONS, digest_of, find_evaluation


def test_an_unknown_name_is_an_error_that_lists_the_known_ones() -> None:
    with pytest.raises(UnknownEvaluationError, match=f"choose from {', '.join(EVALUATIONS)}"):
        find_evaluation("scoo")


@pytest.mark.parametrize("name", ["objects", "significant"])
def test_recorded_figures_come_back_as_they_were(name: str) -> None:
    evaluation = find_evaluation(name)
    figures = evaluation.measure(Options(size=Size.SMALL))
    recorded = evaluation.record(figures)
    assert evaluation.recall(recorded) == figures
    assert evaluation.record(evaluation.recall(recorded)) == recorded
    assert len(digest_of(recorded)) == 64
