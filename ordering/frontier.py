"""A frontier: something that only ever grows and that messages wait to see pass a value.

Where an id is delivered or not, a frontier *reaches* a value: how much of a sender has been
captured, how much of it another member has acknowledged, up to which instant all it sent has been
delivered.

    reached = 7      nodes = {9: [a, b], 12: [c]}
    reach(10)        frees a and b; c still waits for 12
"""

from heapq import heapify, heappop, heappush

from ordering.member import SINCE_AT, Node
from ordering.requirement import Measure, UpTo
from ordering.values import MemberId

SEPARATOR = "\0"
"""Joins the parts of a key. No pid holds it, so two frontiers never share a key."""


class Frontier:
    """One growing value and those who wait for it."""

    __slots__ = ("_values", "nodes", "pid", "reached")

    def __init__(self, key: str) -> None:
        self.pid = key
        self.reached = 0
        self.nodes: dict[int, Node] = {}
        """value -> who waits for it; the same shape as a member's nodes"""
        self._values: list[int] = []
        """the values of `nodes` as a heap; one whose node is gone is passed over"""

    @property
    def measure(self) -> Measure:
        """What this frontier counts."""
        return Measure(self.pid.split(SEPARATOR)[1])

    def expect(self, value: int) -> None:
        """Note that a node was made for this value."""
        heappush(self._values, value)

    def recall(self) -> None:
        """Put the heap right after nodes were put in from a snapshot."""
        self._values = list(self.nodes)
        heapify(self._values)

    def reach(self, value: int) -> list[Node]:
        """Raise the frontier; give the nodes that no longer wait, lowest value first."""
        freed: list[Node] = []
        if value <= self.reached:
            return freed
        self.reached = value
        while self._values and self._values[0] <= value:
            node = self.nodes.pop(heappop(self._values), None)
            if node is not None:
                freed.append(node)
        return freed


def key_of(requirement: UpTo) -> str:
    """Name the frontier that a requirement looks at."""
    return key_for(requirement.sender, requirement.measure, by=requirement.by)


def key_for(sender: str, measure: Measure, *, by: MemberId | str | None = None) -> str:
    """Name a frontier by its parts."""
    parts = (sender, measure.value) if by is None else (sender, measure.value, by)
    return SEPARATOR.join(parts)


def is_waiting(node: Node) -> bool:
    """Tell whether a node of a frontier is still waited for."""
    return isinstance(node[SINCE_AT], int)
