"""Figures: what a benchmark found, as one flat map of numbers with their units in the names.

A goal is a bound on one figure. Missing it is news and not a failure: how fast a machine is, and
who else uses it, is not for the product to decide. A run is not ok only if a contestant did not
deliver every message, because then its time means nothing.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Mapping
from typing import Any, NamedTuple

from benchmarks.timing import Run


class Goal(NamedTuple):
    """A bound on a figure: at least this, or at most this."""

    bound: float
    is_least: bool

    def is_reached(self, figure: float) -> bool:
        return figure >= self.bound if self.is_least else figure <= self.bound

    def __str__(self) -> str:
        return f"{'at least' if self.is_least else 'at most'} {number(self.bound)}"


def at_least(bound: float) -> Goal:
    return Goal(bound, is_least=True)


def at_most(bound: float) -> Goal:
    return Goal(bound, is_least=False)


class Measured(NamedTuple):
    """What a benchmark found: its figures, the goals among them, and what went wrong."""

    figures: dict[str, float]
    goals: Mapping[str, Goal]
    faults: tuple[str, ...] = ()

    def as_result(self) -> dict[str, Any]:
        """Give the JSON object that every output of a benchmark is."""
        return {
            "ok": not self.faults,
            "figures": self.figures,
            "goals": {
                name: {
                    "at_least" if goal.is_least else "at_most": goal.bound,
                    "is_reached": goal.is_reached(self.figures[name]),
                }
                for name, goal in self.goals.items()
                if name in self.figures
            },
            "faults": list(self.faults),
        }

    def as_rows(self) -> list[tuple[str, str, str, str]]:
        """Give a row for each figure: its name, the number, its goal, and whether it is reached."""
        rows = []
        for name, figure in self.figures.items():
            goal = self.goals.get(name)
            told = "" if goal is None else "reached" if goal.is_reached(figure) else "missed"
            rows.append((name, number(figure), "" if goal is None else str(goal), told))
        return rows


HEADER = ("figure", "measured", "goal", "")


def print_measured(measured: Measured, *, as_json: bool) -> int:
    """Print the result of a benchmark that was run from the shell; gives the exit code."""
    if as_json:
        print(json.dumps(measured.as_result()))
    else:
        rows = [HEADER, *measured.as_rows()]
        widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
        for row in rows:
            cells = (cell.ljust(width) for cell, width in zip(row, widths, strict=True))
            print("  ".join(cells).rstrip())
    for fault in measured.faults:
        print(fault, file=sys.stderr)
    return 1 if measured.faults else 0


def number(value: float) -> str:
    """Write a number with as many digits as it deserves."""
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:.3g}"


def rounded(value: float) -> float:
    """Cut a measured number to what the measurement can know."""
    return float(round(value)) if value >= 100 else float(f"{value:.3g}")


def faults_of(runs: Mapping[str, Run]) -> tuple[str, ...]:
    """Tell which contestants did not deliver all they got."""
    return tuple(
        f"{name} delivered {run.delivered} of {run.messages} messages"
        for name, run in runs.items()
        if run.delivered != run.messages
    )


def short(count: int) -> str:
    """Write a round number as figures are named: 100,000 is `1e5`."""
    digits, _, zeros = f"{count:e}".partition("e+")
    return f"{float(digits):g}e{int(zeros)}"
