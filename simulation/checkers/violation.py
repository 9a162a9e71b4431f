"""What a checker says when a promise was broken."""

from __future__ import annotations

from typing import NamedTuple

from simulation.ledger import Ledger


class Violation(NamedTuple):
    """One broken promise: which, where, at which step, and why, in a sentence."""

    checker: str
    endpoint: str
    role: str
    discipline: str
    step: int
    sentence: str

    def __str__(self) -> str:
        return (
            f"{self.checker}: {self.sentence} "
            f"({self.role} {self.endpoint}, {self.discipline}, step {self.step})"
        )


def violation(checker: str, *, ledger: Ledger, step: int, sentence: str) -> Violation:
    """A violation at an endpoint. Called by the checkers only."""
    endpoint = ledger.endpoint
    return Violation(
        checker=checker,
        endpoint=endpoint.name,
        role=endpoint.role.value,
        discipline=endpoint.options.discipline,
        step=step,
        sentence=sentence,
    )
