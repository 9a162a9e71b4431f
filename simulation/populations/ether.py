"""The ether: how a datagram of one member reaches the others of a population, or does not.

Each way from one node to another loses, delays and repeats on its own, as on a wireless network.
A partition cuts the population in two for a while. `still` takes the partitions away, `clear` every
fault: the laws about healing are about what happens after that.
"""

from __future__ import annotations

from random import Random

from simulation.faults import Flight, Partition, Split
from simulation.network import stream
from simulation.populations.options import START_AT, PopulationOptions


class Ether:
    """All ways between the nodes of one population."""

    def __init__(self, options: PopulationOptions, *, nodes: int, lasts_us: int) -> None:
        self._options = options
        self._rng: Random = stream(options.seed, number=1)
        self._maybe_partition: Partition | None = None
        self._is_clear = False
        if options.partitions:
            self._maybe_partition = Partition(_splits(options, nodes=nodes, lasts_us=lasts_us))

    def carry(self, source: int, *, destination: int, sent_at: int) -> list[int]:
        """When the copies of a datagram arrive; nothing if it is lost."""
        options, draw = self._options, self._rng.random
        if self._is_clear:
            return [sent_at + options.delay_us]
        if draw() < options.loss:
            return []
        arrivals = [sent_at + options.delay_us + int(draw() * options.jitter_us)]
        if options.duplication and draw() < options.duplication:
            arrivals.append(arrivals[0] + int(draw() * options.jitter_us))
        if self._maybe_partition is not None:
            return self._maybe_partition.carry(arrivals, Flight(source, destination, sent_at))
        return arrivals

    def still(self) -> None:
        """End every partition; loss and delay stay."""
        self._maybe_partition = None

    def clear(self) -> None:
        """Take every fault away."""
        self._is_clear = True


def _splits(options: PopulationOptions, *, nodes: int, lasts_us: int) -> list[Split]:
    rng = stream(options.seed, number=2)
    splits = []
    for _ in range(options.partitions):
        from_at = START_AT + int(rng.random() * lasts_us)
        splits.append(
            Split(from_at, from_at + int(rng.random() * lasts_us), rng.getrandbits(nodes))
        )
    return splits
