"""One population from end to end: expand, run, judge.

`run_population` is what every worker of a sweep calls, and what `precede simulate --world members
--seeds 1 --from S` comes down to.
"""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Final, NamedTuple
from zlib import crc32

from simulation.populations.checkers import (
    newcomer,
    out_of_order,
    repeated,
    unconfirmed,
    unequal,
)
from simulation.populations.checkers.broken import Broken
from simulation.populations.options import PopulationOptions, expand
from simulation.populations.world import Population

RAISED: Final = "raised"

CHECKERS: Final[dict[str, Callable[[Population], Iterator[Broken]]]] = {
    out_of_order.NAME: out_of_order.check,
    unequal.NAME: unequal.check,
    newcomer.NAME: newcomer.check,
    repeated.NAME: repeated.check,
    unconfirmed.NAME: unconfirmed.check,
}
NAMES: Final = (*CHECKERS, RAISED)


class Outcome(NamedTuple):
    """What one population came to."""

    options: PopulationOptions
    broken: list[Broken]
    members: int
    messages: int
    deliveries: int
    datagrams: int  # of every kind, from all members
    copies: int  # of messages, in answers
    came_by_answer: int  # messages that a member received in an answer
    digest: int  # of every delivered sequence: the same seed must always give the same


def run_population(seed: int, *, discipline: str | None = None) -> Outcome:
    """Run the population of a seed."""
    return run_options(expand(seed, discipline=discipline))


def run_options(options: PopulationOptions) -> Outcome:
    """Run a population and judge it."""
    population = Population(options)
    broken: list[Broken] = []
    try:
        population.run()
    except Exception as fault:  # whatever a member raises is a broken promise, and is told
        broken.append(Broken(RAISED, "all", _describe(fault)))
    else:
        for check in CHECKERS.values():
            broken += check(population)
    ledger = population.ledger
    kinds = ("message", "group_management", "synchronisation")
    return Outcome(
        options=options,
        broken=broken,
        members=len(population.nodes),
        messages=len(ledger.said),
        deliveries=sum(len(life.deliveries) for node in population.nodes for life in node.lives),
        datagrams=sum(ledger.datagrams[kind] for kind in kinds),
        copies=sum(ledger.repeats.values()),
        came_by_answer=population.came_by_answer,
        digest=_digest(population),
    )


def _digest(population: Population) -> int:
    digest = 0
    for node in population.nodes:
        for life in node.lives:
            told = ",".join(f"{sender}:{seq}" for sender, seq in life.delivered)
            digest = crc32(told.encode(), digest)
    return digest


def _describe(fault: Exception) -> str:
    frames = traceback.extract_tb(fault.__traceback__)
    place = f"{Path(frames[-1].filename).name}:{frames[-1].lineno}" if frames else "nowhere"
    return f"{type(fault).__name__}: {fault} at {place}"
