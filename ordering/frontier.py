"""A frontier: those who wait for something that only grows to pass a value.

Where an id is delivered or not, a frontier *reaches* a value: how much of a sender has been
captured, how much of it another member has acknowledged, up to which instant all it sent has been
delivered. The value itself is kept by the discipline that counts it; a frontier exists only while
someone waits.

    nodes = {9: [a, b], 12: [c]}
    reach(10)        frees a and b; c still waits for 12
"""

from heapq import heappop, heappush

from ordering.member import FRONTIERS, Label, Node
from ordering.requirement import Measure, UpTo

SEPARATOR = "|"
"""Stands after the measure in a key."""


class Frontier:
    """Those who wait for one growing value."""

    __slots__ = ("_values", "key", "label", "measure", "nodes", "pids")

    def __init__(self, key: str) -> None:
        self.key = key
        self.label: Label = (FRONTIERS, key)
        measure, *self.pids = parts_of(key)
        self.measure = Measure(measure)
        self.nodes: dict[int, Node] = {}
        """value -> who waits for it; the same shape as a member's nodes"""
        self._values: list[int] = []
        """the values of `nodes` as a heap; one whose node is gone is passed over"""

    def expect(self, value: int) -> None:
        """Note that a node was made for this value."""
        heappush(self._values, value)

    def reach(self, value: int) -> list[Node]:
        """Give the nodes that no longer wait, lowest value first, and forget them."""
        freed: list[Node] = []
        while self._values and self._values[0] <= value:
            node = self.nodes.pop(heappop(self._values), None)
            if node is not None:
                freed.append(node)
        return freed


def key_of(requirement: UpTo) -> str:
    """Name the frontier that a requirement looks at."""
    return key_for(requirement.sender, requirement.measure, by=requirement.by)


def key_for(sender: str, measure: Measure, *, by: str | None = None) -> str:
    """Name a frontier by its parts: a measure, and the members that it is about.

    Lengths stand before the pids, because a hostile pid may hold any character, and no two
    requirements that differ may share a frontier.

        captured of "a:b"                  captured|3:a:b
        acknowledged of "alice" by "bob"   acknowledged|5:alice3:bob
    """
    pids = (sender,) if by is None else (sender, by)
    return measure.value + SEPARATOR + "".join(f"{len(pid)}:{pid}" for pid in pids)


def parts_of(key: str) -> list[str]:
    """Take a key apart again."""
    measure, _, rest = key.partition(SEPARATOR)
    parts = [measure]
    while rest:
        length, _, rest = rest.partition(":")
        parts.append(rest[: int(length)])
        rest = rest[int(length) :]
    return parts
