"""What one seed means for a population: every choice of its world, written out.

`expand(seed)` is swarm style, as in `simulation.options`: each fault is on in some worlds and off
in others. Most populations are small, because small ones find most faults and run fast; one in
fifty has up to fifty members. In a causal group everybody confirms to everybody, so that a world
costs as the cube of its members; large ones are mostly of some dozen there, and speak less.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from random import Random
from typing import Final

MILLISECOND: Final = 1_000
SECOND: Final = 1_000_000

START_AT: Final = 1_000_000_000_000
"""When every world begins: not 0, so that a forgotten instant shows."""

MOST_MEMBERS: Final = 50


class Newcomer(Enum):
    """What a late joiner wants of what was said before."""

    ALL = "all"
    NOW = "now"
    LAST = "last"
    THREAD = "thread"


DISCIPLINES: Final = ("semantic", "semantic+fifo", "fifo", "causal")
DISCIPLINE_WEIGHTS: Final = (8, 2, 2, 3)
OFFERED: Final = (*DISCIPLINES, "none")
"""What may be asked for by name: where nothing is ordered, only what is lost can be wrong."""

ACCEPTANCES: Final = ("causal", "full", "reliable", "continuously_reliable")
ACCEPTANCE_WEIGHTS: Final = (4, 4, 1, 1)
ORDER_AT: Final = {"reliable": "none", "continuously_reliable": "fifo"}


@dataclass(frozen=True, slots=True)
class PopulationOptions:
    """One population, spelled out. The order of the fields is the order in which they print."""

    seed: int
    discipline: str
    acceptance: str  # at which level a causal group delivers
    members: int  # from the start
    newcomers: tuple[Newcomer, ...]  # who joins while the others talk
    messages: int
    answer_share: float  # of the messages: answers something
    interval_us: int  # mean time between two sends of the population
    delay_us: int
    jitter_us: int
    loss: float
    duplication: float
    partitions: int
    crashes: int  # a member loses all it knows and comes back as a new incarnation
    amnesia: float  # of those who come back: not even the count of incarnations is left
    leaves: int  # a member leaves, and comes back under its next incarnation
    hostile: int  # datagrams of a stranger: malformed, forged, replayed, oversized, wrong group
    flood: int  # messages that one member of the population sends at once

    @property
    def order(self) -> str:
        """What orders the deliveries: at some acceptance levels a causal group asks for less."""
        if self.discipline != "causal":
            return self.discipline
        return ORDER_AT.get(self.acceptance, "causal")


def expand(seed: int, *, discipline: str | None = None) -> PopulationOptions:
    """Turn a seed into the options of its world."""
    rng = Random(seed)
    draw = rng.random
    chosen = rng.choices(DISCIPLINES, DISCIPLINE_WEIGHTS)[0]
    is_causal = (discipline or chosen) == "causal"
    is_large = draw() < 0.02
    drawn = draw()
    members = 2 + int(drawn**2 * 6)
    if is_large:
        members = 10 + int(drawn ** (4 if is_causal else 2) * (MOST_MEMBERS - 9))
    newcomers = tuple(
        rng.choice(tuple(Newcomer)) for _ in range(int(draw() * 4) if draw() < 0.4 else 0)
    )
    most_messages = 40 if not is_large else 6 if is_causal else 20
    acceptance = Random(seed + 1).choices(ACCEPTANCES, ACCEPTANCE_WEIGHTS)[0]
    return PopulationOptions(
        seed=seed,
        discipline=discipline or chosen,
        acceptance=acceptance if is_causal else ACCEPTANCES[0],
        members=min(members, MOST_MEMBERS - len(newcomers)),
        newcomers=newcomers,
        messages=4 + int(draw() ** 2 * most_messages),
        answer_share=0.3 + draw() * 0.7,
        interval_us=int((1 + draw() ** 2 * 60) * MILLISECOND),
        delay_us=int(draw() ** 2 * 8 * MILLISECOND),
        jitter_us=int(draw() ** 2 * 30 * MILLISECOND) if draw() < 0.6 else 0,
        loss=draw() * 0.3 if draw() < 0.6 else 0.0,
        duplication=draw() * 0.5 if draw() < 0.4 else 0.0,
        partitions=1 + int(draw() * 2) if draw() < 0.35 else 0,
        crashes=1 + int(draw() * 2) if draw() < 0.35 else 0,
        amnesia=1.0 if draw() < 0.3 else 0.0,
        leaves=1 if draw() < 0.2 else 0,
        hostile=5 + int(draw() * 20) if draw() < 0.3 else 0,
        flood=50 + int(draw() * 100) if draw() < 0.03 else 0,
    )


def describe(options: PopulationOptions) -> str:
    """All options as lines of text, for a failing seed; what is at its plainest is left out."""
    lines = []
    for field in fields(options):
        value = getattr(options, field.name)
        if field.name == "seed" or value not in (0, ()):
            lines.append(f"  {field.name:<16} {_as_text(value)}")
    return "\n".join(lines)


def _as_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(str(one.value) for one in value)
    return f"{value:.3f}" if isinstance(value, float) else str(value)
