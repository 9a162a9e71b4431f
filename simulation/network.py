"""The network of a world: the stack of fault layers that its options ask for.

`simulation.world` calls `carry` once per message and destination, and `heal` at the end of the
safety phase. After healing a message arrives once, one send interval after it was sent.

Stacked in this order: delay, loss, duplication, shuffle, partition, clog. A clog comes last so that
nothing slips in front of it.
"""

from __future__ import annotations

from random import Random

from simulation.faults import (
    Clog,
    Delay,
    Duplication,
    Flight,
    Layer,
    Loss,
    Partition,
    Shuffle,
    Split,
    Stop,
)
from simulation.options import SEND_INTERVAL_US, START_AT, DelayShape, Options

STREAMS_PER_SEED: int = 64
"""Each layer draws from a stream of its own: stream number = seed * this + place in the stack."""


def stream(seed: int, *, number: int) -> Random:
    """A source of chance of its own for one part of a world."""
    return Random(seed * STREAMS_PER_SEED + number)


class Network:
    """All ways between the nodes of one world."""

    def __init__(self, options: Options, *, nodes: int, lasts_us: int) -> None:
        self._layers = stack(options, nodes=nodes, lasts_us=lasts_us)

    def carry(self, source: int, *, destination: int, sent_at: int) -> list[int]:
        """When the copies of a message arrive; nothing if it is lost."""
        arrivals = [sent_at]
        if self._layers:
            flight = Flight(source, destination, sent_at)
            for layer in self._layers:
                arrivals = layer.carry(arrivals, flight)
                if not arrivals:
                    break
        return arrivals

    def heal(self) -> None:
        """Take every fault away."""
        self._layers = []


def stack(options: Options, *, nodes: int, lasts_us: int) -> list[Layer]:
    """The layers that are on, from the sender's side to the receiver's."""
    seed = options.seed
    layers: list[Layer] = []
    if options.delay_shape is not DelayShape.NONE and options.delay_us:
        layers.append(
            Delay(shape=options.delay_shape, mean_us=options.delay_us, rng=stream(seed, number=1))
        )
    if options.loss:
        layers.append(Loss(share=options.loss, rng=stream(seed, number=2)))
    if options.duplication:
        layers.append(Duplication(share=options.duplication, rng=stream(seed, number=3)))
    if options.shuffle_window:
        layers.append(Shuffle(window=options.shuffle_window, rng=stream(seed, number=4)))
    if options.partitions:
        layers.append(Partition(_splits(options, nodes=nodes, lasts_us=lasts_us)))
    if options.clogs:
        layers.append(Clog(_stops(options, nodes=nodes, lasts_us=lasts_us)))
    return layers


def _splits(options: Options, *, nodes: int, lasts_us: int) -> list[Split]:
    rng = stream(options.seed, number=5)
    return [
        Split(from_at, until_at, rng.getrandbits(nodes))
        for from_at, until_at in _spells(rng, count=options.partitions, lasts_us=lasts_us)
    ]


def _stops(options: Options, *, nodes: int, lasts_us: int) -> list[Stop]:
    rng = stream(options.seed, number=6)
    return [
        Stop(from_at, until_at, rng.randrange(nodes))
        for from_at, until_at in _spells(rng, count=options.clogs, lasts_us=lasts_us)
    ]


def _spells(rng: Random, *, count: int, lasts_us: int) -> list[tuple[int, int]]:
    """Spans of time within the safety phase, each up to half of it long."""
    spells = []
    for _ in range(count):
        from_at = START_AT + int(rng.random() * lasts_us)
        spells.append((from_at, from_at + SEND_INTERVAL_US + int(rng.random() * lasts_us / 2)))
    return sorted(spells)
