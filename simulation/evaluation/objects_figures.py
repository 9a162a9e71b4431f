"""Measures the share of orderings that the inter-object protocol does without, against C.

Called by the registry as the evaluation `objects`. The paper states its result at C = 60 % for
three mixes, and leaves open how many computers, invocations and transactions at once there were;
the figures therefore hold one main world, swept over C, and other worlds at C = 60 %.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, replace

from simulation.evaluation.objects_model import ObjectsModel
from simulation.evaluation.objects_ordering import NO_COUNTS, Counts, count_orderings
from simulation.evaluation.objects_world import Mix, ObjectsWorld, draw_conflicts, homes
from simulation.evaluation.options import Options, Size

STATED_PERCENT = 60
FULL_SWEEP_PERCENT = tuple(range(0, 101, 10))
SMALL_SWEEP_PERCENT = (0, STATED_PERCENT, 100)
FULL_RUNS = 3
SMALL_RUNS = 1
DIGITS = 2

MAIN_WORLD = ObjectsWorld()
SMALL_WORLD = ObjectsWorld(computers=4, initiators=4, fan_out=2, transactions_per_computer=1)
OTHER_WORLDS = (
    ObjectsWorld(computers=4, initiators=4),
    ObjectsWorld(computers=9, initiators=9, transactions_per_computer=2),
    ObjectsWorld(fan_out=2),
    ObjectsWorld(fan_out=4, transactions_per_computer=1),
    ObjectsWorld(mean_network_delay=0.1),
    ObjectsWorld(mean_network_delay=4.0),
)
FULL_AT_ONCE = tuple(range(1, 7))
SMALL_AT_ONCE = (1, 4)
TRANSACTIONS = 18
"""How many transactions a run has when it is swept over how many run at once."""


@dataclass(frozen=True)
class MixPoint:
    """One mix at one conflict ratio: percent of orderings not needed, by both ways to count."""

    mix: Mix
    direct_not_ordered_percent: float
    pairs_not_ordered_percent: float
    same_sender_not_ordered_percent: float
    direct: int
    pairs: int


@dataclass(frozen=True)
class ConflictPoint:
    """All mixes at one conflict ratio."""

    conflict_percent: int
    mixes: tuple[MixPoint, ...]

    def of(self, mix: Mix) -> MixPoint:
        """The figures of `mix` at this ratio."""
        return next(point for point in self.mixes if point.mix is mix)


@dataclass(frozen=True)
class WorldPoint:
    """One world at the conflict ratio for which the paper states figures."""

    world: ObjectsWorld
    point: ConflictPoint


@dataclass(frozen=True)
class ObjectsFigures:
    """Everything that the page of this evaluation is made from."""

    seed: int
    runs: int
    world: ObjectsWorld
    sweep: tuple[ConflictPoint, ...]
    at_once: tuple[WorldPoint, ...]
    other_worlds: tuple[WorldPoint, ...]


def measure(options: Options) -> ObjectsFigures:
    """Runs the sweep over C, then at the stated C the sweep over load and the other worlds."""
    full = options.size is Size.FULL
    runs = FULL_RUNS if full else SMALL_RUNS
    world = MAIN_WORLD if full else SMALL_WORLD
    at_once = [
        replace(
            world,
            initiators=initiators,
            transactions_per_computer=TRANSACTIONS // initiators if full else 1,
        )
        for initiators in (FULL_AT_ONCE if full else SMALL_AT_ONCE)
    ]
    sweep = FULL_SWEEP_PERCENT if full else SMALL_SWEEP_PERCENT

    def stated(other: ObjectsWorld) -> WorldPoint:
        return WorldPoint(other, measure_point(other, STATED_PERCENT, seed=options.seed, runs=runs))

    return ObjectsFigures(
        seed=options.seed,
        runs=runs,
        world=world,
        sweep=tuple(
            measure_point(world, percent, seed=options.seed, runs=runs) for percent in sweep
        ),
        at_once=tuple(stated(other) for other in at_once),
        other_worlds=tuple(stated(other) for other in (OTHER_WORLDS if full else ())),
    )


def measure_point(world: ObjectsWorld, percent: int, *, seed: int, runs: int) -> ConflictPoint:
    """One world at one conflict ratio; tests ask for points to see documents come out again."""
    mixes = []
    for mix in Mix:
        counts = NO_COUNTS
        for run in range(runs):
            counts = counts + _one_run(world, percent, mix, seed=seed * runs + run)
        mixes.append(
            MixPoint(
                mix,
                _not_ordered_percent(counts.direct_ordered, counts.direct),
                _not_ordered_percent(counts.pairs_ordered, counts.pairs),
                _not_ordered_percent(counts.same_sender_ordered, counts.same_sender),
                counts.direct,
                counts.pairs,
            )
        )
    return ConflictPoint(percent, tuple(mixes))


def _one_run(world: ObjectsWorld, percent: int, mix: Mix, *, seed: int) -> Counts:
    objects = len(homes(world)) - world.computers
    conflicts = draw_conflicts(objects, percent=percent, generator=random.Random(seed))
    return count_orderings(ObjectsModel(world, conflicts, mix, seed=seed).run(), conflicts)


def _not_ordered_percent(ordered: int, of: int) -> float:
    return round(100 * (1 - ordered / of), DIGITS) if of else 100.0
