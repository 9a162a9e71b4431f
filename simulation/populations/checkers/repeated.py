"""Repeated: synchronisation says something more often than it may.

- Nobody gives the same message twice in answer to one request.
- Over a whole population, no more than `MOST_COPIES` copies are given for each message that a
  member received in an answer, and `PER_MEMBER` more for each member: those may be lost, or
  given by several who had not heard each other yet.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from simulation.populations.checkers.broken import Broken, name_of
from simulation.populations.world import Population

NAME = "repeated"

MOST_COPIES: Final = 2
"""Copies in answers for each message that arrived in one."""

PER_MEMBER: Final = 20
"""Copies that are always allowed: about two pages, which a member may have begun with before it
hears that another answers too."""


def check(population: Population) -> Iterator[Broken]:
    """Count the copies."""
    ledger = population.ledger
    for (responder, requester, seq, message_id), count in ledger.answers.items():
        if count > 1:
            sentence = f"gave {name_of(message_id)} {count} times for request {seq} of {requester}"
            yield Broken(NAME, responder, sentence)
    copies = sum(ledger.repeats.values())
    allowed = PER_MEMBER * len(population.nodes)
    most = MOST_COPIES * population.came_by_answer + allowed
    if copies > most:
        yield Broken(NAME, "all", f"{copies} copies were given in answers; at most {most}")
