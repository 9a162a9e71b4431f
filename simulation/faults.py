"""The named layers that a message passes on its way from one node to another.

A layer looks at one flight (from whom, to whom, when sent) and turns the instants at which its
copies would arrive into others: no instant means that the message is lost, two mean that it
arrives twice. Layers are stacked by `simulation.network`, each with its own source of chance, so
that taking one layer away while shrinking leaves the choices of the others as they were.

    sent at 100   Delay [130]   Duplication [130, 130]   Shuffle [130, 171]   Clog [400, 400]
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple, Protocol

from simulation.options import SEND_INTERVAL_US, DelayShape

DUPLICATE_LAGS_BY: Final = 3
"""A second copy comes up to this many send intervals after the first."""


class Flight(NamedTuple):
    """One message on its way to one node."""

    source: int
    destination: int
    sent_at: int


class Layer(Protocol):
    """One named fault."""

    def carry(self, arrivals: list[int], flight: Flight, /) -> list[int]:
        """The instants at which the copies arrive, given those at which they would have."""
        ...


class Delay:
    """Time in flight, spread as its shape says around the mean."""

    def __init__(self, *, shape: DelayShape, mean_us: int, rng: Random) -> None:
        self._shape = shape
        self._mean_us = mean_us
        self._rng = rng

    def carry(self, arrivals: list[int], _flight: Flight, /) -> list[int]:
        return [arrives_at + self._draw() for arrives_at in arrivals]

    def _draw(self) -> int:
        mean_us = self._mean_us
        if self._shape is DelayShape.UNIFORM:
            return int(self._rng.random() * 2 * mean_us)
        if self._shape is DelayShape.EXPONENTIAL:
            return int(self._rng.expovariate(1.0) * mean_us)
        if self._shape is DelayShape.TWO_PATHS:
            return mean_us * 10 if self._rng.random() < 0.1 else mean_us // 2
        return mean_us


class Loss:
    """Each flight is lost with the same chance."""

    def __init__(self, *, share: float, rng: Random) -> None:
        self._share = share
        self._draw = rng.random

    def carry(self, arrivals: list[int], _flight: Flight, /) -> list[int]:
        return [] if self._draw() < self._share else arrivals


class Duplication:
    """Some flights arrive twice, the second copy somewhat later."""

    def __init__(self, *, share: float, rng: Random) -> None:
        self._share = share
        self._draw = rng.random

    def carry(self, arrivals: list[int], _flight: Flight, /) -> list[int]:
        if not arrivals or self._draw() >= self._share:
            return arrivals
        later_by_us = int(self._draw() * DUPLICATE_LAGS_BY * SEND_INTERVAL_US)
        return [*arrivals, arrivals[0] + later_by_us]


class Shuffle:
    """A message may be overtaken by up to about `window` later ones."""

    def __init__(self, *, window: int, rng: Random) -> None:
        self._spread_us = window * SEND_INTERVAL_US
        self._draw = rng.random

    def carry(self, arrivals: list[int], _flight: Flight, /) -> list[int]:
        return [arrives_at + int(self._draw() * self._spread_us) for arrives_at in arrivals]


class Split(NamedTuple):
    """The nodes fall into two sides for a while: bit n of `side` tells on which side node n is."""

    from_at: int
    until_at: int
    side: int


class Partition:
    """What is sent across a split while it lasts is lost."""

    def __init__(self, splits: list[Split]) -> None:
        self._splits = splits

    def carry(self, arrivals: list[int], flight: Flight, /) -> list[int]:
        for split in self._splits:
            if split.from_at <= flight.sent_at < split.until_at and (
                (split.side >> flight.source ^ split.side >> flight.destination) & 1
            ):
                return []
        return arrivals


class Stop(NamedTuple):
    """One node hears nothing for a while; then all that was on its way arrives at once."""

    from_at: int
    until_at: int
    destination: int


class Clog:
    """What would arrive at a stopped node arrives when the stop ends."""

    def __init__(self, stops: list[Stop]) -> None:
        self._stops = stops

    def carry(self, arrivals: list[int], flight: Flight, /) -> list[int]:
        for stop in self._stops:
            if stop.destination == flight.destination:
                arrivals = [
                    stop.until_at if stop.from_at <= arrives_at < stop.until_at else arrives_at
                    for arrives_at in arrivals
                ]
        return arrivals
