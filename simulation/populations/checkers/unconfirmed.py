"""Unconfirmed: at a level that asks for confirmation, a message is delivered too early.

At `reliable`, `continuously_reliable` and `full` a member tells its program a message only when
everyone it is for is known to have it. The world looks at the others at that very moment: whoever
lives, is one of those it is for, and was not taken for failed, must have received it.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.populations.checkers.broken import Broken, name_of
from simulation.populations.world import Population

NAME = "unconfirmed"


def check(population: Population) -> Iterator[Broken]:
    """Give what the world has noted."""
    for member, message_id, other in population.unconfirmed:
        yield Broken(NAME, member, f"{name_of(message_id)} is delivered and {other} has it not")
