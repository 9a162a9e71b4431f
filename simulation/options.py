"""What one seed means: every choice of a simulated world, written out.

`expand(seed)` is called once per seed by `simulation.run`. It is swarm style: each fault is on in
about half of the worlds and off in the others, because a fault that is always on hides the bugs
that need it to be off (a world that loses a third of everything seldom fills a buffer).

The options, and not the seed alone, are what a failing world prints: they can be read, and
`simulation.shrink` makes them smaller one by one while the world still fails.

Every field has a plainest value (0, 1, `NONE`, or an empty tuple) at which it does nothing.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from enum import Enum
from random import Random
from typing import Final

MILLISECOND: Final = 1_000
"""Instants are microseconds; the ranges below are easier to read in milliseconds."""

SECOND: Final = 1_000 * MILLISECOND

SEND_INTERVAL_US: Final = 1_000
"""Mean time between two sends in a world. All other times are drawn around this one."""


START_AT: Final = 1_000_000_000
"""When every world begins: not 0, so that a forgotten instant shows."""


class DelayShape(Enum):
    """How the time in flight is spread around its mean."""

    NONE = "none"
    FIXED = "fixed"
    UNIFORM = "uniform"
    EXPONENTIAL = "exponential"
    TWO_PATHS = "two_paths"  # nine in ten take the short way, the tenth takes ten times as long


class GiveUp(Enum):
    """What a group does about something that never comes; the same three words as the engine."""

    HOLD = "hold"
    RELEASE = "release"
    QUARANTINE = "quarantine"


class Hostility(Enum):
    """What a hostile sender does. Each is one function of `simulation.hostile`."""

    EQUIVOCATION = "equivocation"  # one id, two contents
    SELF_PARENT = "self_parent"  # a message that answers itself
    CYCLE = "cycle"  # messages that answer each other in a ring
    FLOOD = "flood"  # many messages that wait for what never comes
    JUMP = "jump"  # counters that leap by 2**60
    WIDE = "wide"  # stamps with more entries than a group may have
    FORGED_PARENT = "forged_parent"  # answers to messages that nobody has sent (yet)


class Tightness(Enum):
    """A bound of the engine that is made small, so that what a long life does happens here too."""

    MEMORY = "memory"  # few recent deliveries and few given-up ids are remembered
    JUMP = "jump"  # a sender may run ahead of what was seen by little
    GRACE = "grace"  # an older incarnation may soon add nothing new
    INCARNATIONS = "incarnations"  # only the newest incarnation of a name is remembered


DISCIPLINES: Final = (
    "none",
    "fifo",
    "semantic",
    "semantic+fifo",
    "causal",
    "significant",
    "objects",
    "total",
)
DISCIPLINE_WEIGHTS: Final = (1, 3, 8, 3, 6, 3, 3, 2)
"""How often each is drawn. Semantic has the most machinery, `none` the least."""


ACCEPTANCES: Final = (
    "causal",
    "simple",
    "continuous",
    "reliable",
    "continuously_reliable",
    "full",
)
ACCEPTANCE_WEIGHTS: Final = (10, 1, 1, 1, 1, 3)


@dataclass(frozen=True, slots=True)
class GroupOptions:
    """How one group of the world is kept."""

    discipline: str
    give_up: GiveUp
    give_up_after_us: int
    delta_us: int = 0  # the bound of the network's delay in a significant group
    acceptance: str = "causal"  # at which level a causal group delivers

    @property
    def longest_wait_us(self) -> int:
        """How long one thing may be waited for before the rules of the group end the wait."""
        return max(self.give_up_after_us, self.delta_us)


@dataclass(frozen=True, slots=True)
class Options:
    """One world, spelled out. The order of the fields is the order in which they are printed."""

    seed: int
    groups: tuple[GroupOptions, ...]
    members: int
    messages: int
    answer_share: float  # of the messages: answers something; the others answer the root
    merge_share: float  # of the answers: has several parents
    hasty_share: float  # of the answers: answers the newest delivery, which makes long chains
    delay_shape: DelayShape
    delay_us: int
    loss: float
    duplication: float
    shuffle_window: int
    partitions: int
    clogs: int
    restarts: int  # a member comes back as a new incarnation, with nothing
    member_crashes: int  # a member comes back as itself, from its own snapshot
    vanished: float  # of what was lost: never sent again, not even after healing
    clock_skew_us: int
    edges: int
    tick_every_us: int
    largest_batch: int
    service_crashes: int
    tight: tuple[Tightness, ...]  # bounds that are small, so that a small world reaches them
    hostile: tuple[Hostility, ...]


def expand(seed: int, *, discipline: str | None = None) -> Options:
    """Turn a seed into the options of its world; `discipline` fixes that of every group."""
    rng = Random(seed)
    draw = rng.random

    def on() -> bool:
        return draw() < 0.5

    groups = tuple(
        _expand_group(rng, discipline=discipline) for _ in range(2 if draw() < 0.15 else 1)
    )
    delay_shape = rng.choice(tuple(DelayShape))
    return Options(
        seed=seed,
        groups=groups,
        members=2 + int(draw() * draw() * 5),
        messages=6 + int(70 * draw() ** 3),
        answer_share=0.5 + draw() * 0.5,
        merge_share=draw() * 0.4 if draw() < 0.3 else 0.0,
        hasty_share=draw(),
        delay_shape=delay_shape,
        delay_us=0 if delay_shape is DelayShape.NONE else int(draw() ** 2 * 20 * MILLISECOND),
        loss=draw() * 0.3 if on() else 0.0,
        duplication=draw() * 0.5 if on() else 0.0,
        shuffle_window=1 + int(draw() * 30) if on() else 0,
        partitions=1 + int(draw() * 2) if draw() < 0.3 else 0,
        clogs=1 + int(draw() * 3) if draw() < 0.3 else 0,
        restarts=1 + int(draw() * 2) if draw() < 0.3 else 0,
        member_crashes=1 + int(draw() * 3) if draw() < 0.3 else 0,
        vanished=draw() if draw() < 0.2 else 0.0,
        clock_skew_us=int(draw() * 50 * MILLISECOND) if on() else 0,
        edges=1 if draw() < 0.6 else 2,
        tick_every_us=int((1 + draw() * 30) * MILLISECOND),
        largest_batch=1 + int(draw() ** 2 * 40) if draw() < 0.8 else 1,
        service_crashes=1 + int(draw() * 4) if on() else 0,
        tight=tuple(bound for bound in Tightness if draw() < 0.12),
        hostile=_expand_hostile(rng),
    )


def _expand_group(rng: Random, *, discipline: str | None) -> GroupOptions:
    chosen = discipline or rng.choices(DISCIPLINES, DISCIPLINE_WEIGHTS)[0]
    give_up = rng.choices(tuple(GiveUp), (6, 3, 2))[0]
    after_us = 0 if give_up is GiveUp.HOLD else int((2 + rng.random() ** 2 * 80) * MILLISECOND)
    delta_us = 0
    if chosen == "significant":
        delta_us = SECOND if rng.random() < 0.5 else int((2 + rng.random() * 60) * MILLISECOND)
    acceptance = "causal"
    if chosen == "causal":
        acceptance = rng.choices(ACCEPTANCES, ACCEPTANCE_WEIGHTS)[0]
    return GroupOptions(
        discipline=chosen,
        give_up=give_up,
        give_up_after_us=after_us,
        delta_us=delta_us,
        acceptance=acceptance,
    )


def _expand_hostile(rng: Random) -> tuple[Hostility, ...]:
    if rng.random() < 0.6:
        return ()
    return tuple(kind for kind in Hostility if rng.random() < 0.3)


def describe(options: Options) -> str:
    """All options as lines of text, for a failing seed; what is at its plainest is left out."""
    lines = []
    for field in fields(options):
        value = getattr(options, field.name)
        if value in (0, (), DelayShape.NONE):
            continue
        lines.append(f"  {field.name:<16} {_as_text(value)}")
    return "\n".join(lines)


def _as_text(value: object) -> str:
    if isinstance(value, tuple):
        return ", ".join(_as_text(item) for item in value)
    if isinstance(value, GroupOptions):
        rule = value.give_up.value
        after = f" after {value.give_up_after_us} us" if value.give_up_after_us else ""
        level = f", {value.acceptance}" if value.acceptance != "causal" else ""
        delta = f", delta {value.delta_us} us" if value.delta_us else ""
        return f"{value.discipline} ({rule}{after}{level}{delta})"
    if isinstance(value, Enum):
        return str(value.value)
    return f"{value:.3f}" if isinstance(value, float) else str(value)
