"""Measures the four acceptance schemes over both sweeps of the paper: k at r = 5, and r at k = 4.

Called by the registry as the evaluation `sco`. The plain schemes don't know k, so that they are
run once per r.
"""

from __future__ import annotations

from dataclasses import dataclass

from simulation.evaluation.options import Options, Size
from simulation.evaluation.sco_model import Outcome, Scheme, ScoModel, Timer, World

MEMBERS = 10
DATA_PER_UNIT = 1
UNITS_PER_ROUND = 4
FIXED_DESTINATIONS = 5
FIXED_PATIENCE_UNITS = 4
FULL_PATIENCE_SWEEP = tuple(range(1, 11))
SMALL_PATIENCE_SWEEP = (1, 4)
FULL_DESTINATIONS_SWEEP = tuple(range(1, MEMBERS))
SMALL_DESTINATIONS_SWEEP = (2, 5, 8)
FULL_UNITS = (40, 120)
SMALL_UNITS = (12, 12)
"""Time units of warm-up, and then of measuring."""
DIGITS = 4


@dataclass(frozen=True)
class SchemePoint:
    """One scheme at one point of a sweep: what it costs, and the same as a ratio to C0."""

    scheme: Scheme
    messages_per_data_message: float
    reliable_delay_units: float
    full_delay_units: float
    messages_ratio: float
    full_delay_ratio: float


@dataclass(frozen=True)
class SweepPoint:
    """All four schemes at one k and one r."""

    patience_units: int
    destinations: int
    schemes: tuple[SchemePoint, ...]

    def of(self, scheme: Scheme) -> SchemePoint:
        """The figures of `scheme` at this point."""
        return next(point for point in self.schemes if point.scheme is scheme)


@dataclass(frozen=True)
class ScoFigures:
    """Everything that the page of this evaluation is made from."""

    seed: int
    members: int
    data_per_unit: int
    units_per_round: int
    warm_up_units: int
    measured_units: int
    against_patience: tuple[SweepPoint, ...]
    against_destinations: tuple[SweepPoint, ...]
    other_timer: SweepPoint


def measure(options: Options) -> ScoFigures:
    """Runs both sweeps, and the fixed point once more with the other reading of the timer."""
    full = options.size is Size.FULL
    warm_up_units, measured_units = FULL_UNITS if full else SMALL_UNITS
    sweep = Sweep(options.seed, warm_up_units, measured_units)
    patience_sweep = FULL_PATIENCE_SWEEP if full else SMALL_PATIENCE_SWEEP
    destinations_sweep = FULL_DESTINATIONS_SWEEP if full else SMALL_DESTINATIONS_SWEEP
    return ScoFigures(
        seed=options.seed,
        members=MEMBERS,
        data_per_unit=DATA_PER_UNIT,
        units_per_round=UNITS_PER_ROUND,
        warm_up_units=warm_up_units,
        measured_units=measured_units,
        against_patience=tuple(
            sweep.point(patience, FIXED_DESTINATIONS, Timer.LAST_SENT)
            for patience in patience_sweep
        ),
        against_destinations=tuple(
            sweep.point(FIXED_PATIENCE_UNITS, destinations, Timer.LAST_SENT)
            for destinations in destinations_sweep
        ),
        other_timer=sweep.point(FIXED_PATIENCE_UNITS, FIXED_DESTINATIONS, Timer.FIRST_NOTE),
    )


class Sweep:
    """Runs points, and remembers outcomes so that no scheme runs twice in the same world.

    Tests ask it for single points, to see the figures of the documents come out again.
    """

    def __init__(self, seed: int, warm_up_units: int, measured_units: int) -> None:
        self._seed = seed
        self._warm_up_units = warm_up_units
        self._measured_units = measured_units
        self._outcomes: dict[tuple[Scheme, World], Outcome] = {}

    def point(self, patience_units: int, destinations: int, timer: Timer) -> SweepPoint:
        """All four schemes at one point."""
        plain = self._outcome(Scheme.C0, self._world(patience_units, destinations, timer))
        points = []
        for scheme in Scheme:
            outcome = self._outcome(scheme, self._world(patience_units, destinations, timer))
            points.append(
                SchemePoint(
                    scheme,
                    round(outcome.messages_per_data_message, DIGITS),
                    round(outcome.reliable_delay_units, DIGITS),
                    round(outcome.full_delay_units, DIGITS),
                    round(
                        outcome.messages_per_data_message / plain.messages_per_data_message, DIGITS
                    ),
                    round(outcome.full_delay_units / plain.full_delay_units, DIGITS),
                )
            )
        return SweepPoint(patience_units, destinations, tuple(points))

    def _world(self, patience_units: int, destinations: int, timer: Timer) -> World:
        return World(
            members=MEMBERS,
            data_per_unit=DATA_PER_UNIT,
            units_per_round=UNITS_PER_ROUND,
            destinations=destinations,
            patience_units=patience_units,
            timer=timer,
        )

    def _outcome(self, scheme: Scheme, world: World) -> Outcome:
        key_world = world
        if not scheme.deferred:
            key_world = self._world(FIXED_PATIENCE_UNITS, world.destinations, Timer.LAST_SENT)
        key = (scheme, key_world)
        if key not in self._outcomes:
            model = ScoModel(scheme, key_world, seed=self._seed)
            self._outcomes[key] = model.run(
                warm_up_units=self._warm_up_units, measured_units=self._measured_units
            )
        return self._outcomes[key]
