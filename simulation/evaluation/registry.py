"""The evaluations by name: how each is measured, and how its figures become a page.

`precede evaluate` and the tests find them here. An unknown name is an error that lists the known
ones.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import msgspec

from simulation.evaluation import (
    objects_figures,
    objects_page,
    sco_figures,
    sco_page,
    significant_figures,
    significant_page,
    waiting_figures,
    waiting_page,
)
from simulation.evaluation.errors import UnknownEvaluationError
from simulation.evaluation.options import Options
from simulation.evaluation.page import Page

Figures = TypeVar("Figures")


@dataclass(frozen=True)
class Evaluation(Generic[Figures]):
    """One evaluation; `figures_type` is what its recorded figures are read back as."""

    name: str
    figures_type: type[Figures]
    measure: Callable[[Options], Figures]
    present: Callable[[Figures], Page]

    def record(self, figures: Figures) -> bytes:
        """The figures as they are kept next to the page: JSON, fields in a fixed order."""
        return msgspec.json.format(msgspec.json.encode(figures), indent=1) + b"\n"

    def recall(self, recorded: bytes) -> Figures:
        """The figures that `record` wrote, so that a page can be made without measuring again."""
        return msgspec.json.decode(recorded, type=self.figures_type)


def digest_of(recorded: bytes) -> str:
    """The name of recorded figures, printed in the page that was made from them."""
    return hashlib.sha256(recorded).hexdigest()


EVALUATIONS: dict[str, Evaluation[Any]] = {
    evaluation.name: evaluation
    for evaluation in (
        Evaluation("sco", sco_figures.ScoFigures, sco_figures.measure, sco_page.present),
        Evaluation(
            "objects", objects_figures.ObjectsFigures, objects_figures.measure, objects_page.present
        ),
        Evaluation(
            "waiting", waiting_figures.WaitingFigures, waiting_figures.measure, waiting_page.present
        ),
        Evaluation(
            "significant",
            significant_figures.SignificantFigures,
            significant_figures.measure,
            significant_page.present,
        ),
    )
}


def find_evaluation(name: str) -> Evaluation[Any]:
    """The evaluation of that name; raises `UnknownEvaluationError` with the known names."""
    try:
        return EVALUATIONS[name]
    except KeyError:
        raise UnknownEvaluationError(name, known=tuple(EVALUATIONS)) from None
