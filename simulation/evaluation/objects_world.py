"""The values of the inter-object evaluation: objects, methods that conflict, and sent requests.

`objects_model` fills them, `objects_ordering` counts over them.

A message id is (compatibility id, object, count of sends) and is compared in that order; an object
vector holds one id per object.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from enum import Enum
from typing import NamedTuple

METHODS = 4
"""Every object supports four methods, as in the paper."""

METHOD_PAIRS = tuple((low, high) for low in range(METHODS) for high in range(low, METHODS))
"""The unordered pairs of methods, each method with itself too: ten, so that C moves by 10 %."""

Id = tuple[int, int, int]
NO_ID: Id = (0, 0, 0)


class Mix(Enum):
    """How requests are sent."""

    UNICAST = "ucast"
    HALF = "half"
    PARALLEL = "mcast/pcast"

    @property
    def parallel_share(self) -> float:
        """The chance that a thread sends its requests by mcast or pcast."""
        return {Mix.UNICAST: 0.0, Mix.HALF: 0.5, Mix.PARALLEL: 1.0}[self]


@dataclass(frozen=True)
class ObjectsWorld:
    """Everything that the model needs and the paper mostly leaves open.

    Computer c has one object, or two where c is odd, and a transaction object besides. A
    transaction and every method above the last level invoke `fan_out` methods on different objects.
    The first `initiators` computers run transactions, each one at a time.
    """

    computers: int = 6
    initiators: int = 6
    fan_out: int = 3
    levels: int = 3
    transactions_per_computer: int = 3
    mean_work: float = 1.0
    mean_network_delay: float = 1.0


class Request(NamedTuple):
    """One request instance as it was sent.

    `clock` is the vector clock of the sending computer at the send, which is all that a
    traditional protocol looks at. `vector` is the object vector of this protocol.
    """

    destination: int
    method: int
    sender: int
    computer: int
    clock: tuple[int, ...]
    vector: tuple[Id, ...]


class ConflictTable(NamedTuple):
    """Which pairs of methods conflict on each object."""

    pairs: tuple[frozenset[tuple[int, int]], ...]

    def conflict(self, target: int, one: int, other: int) -> bool:
        """Do two methods conflict on object `target`? Symmetric."""
        return (min(one, other), max(one, other)) in self.pairs[target]


def draw_conflicts(objects: int, *, percent: int, generator: random.Random) -> ConflictTable:
    """For each object its own draw of exactly `percent` of the method pairs."""
    count = len(METHOD_PAIRS) * percent // 100
    return ConflictTable(
        tuple(frozenset(generator.sample(METHOD_PAIRS, count)) for _ in range(objects))
    )


def homes(world: ObjectsWorld) -> list[int]:
    """The computer of every object: first the objects, then one transaction object each."""
    placed = [computer for computer in range(world.computers) for _ in range(1 + computer % 2)]
    return placed + list(range(world.computers))
