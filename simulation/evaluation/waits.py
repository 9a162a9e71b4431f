"""Runs one group through the production engine and notes who waited, how long, and for whom.

`waiting_figures` and `significant_figures` call `run_group`. A message waits if the engine doesn't
deliver it at once. It ends its wait when another message arrives: that one, the *last missing*, is
what it waited for in the end, whatever the order calls it.

    arrivals   1: c   2: b   3: a          c answers a, b answers nothing
    Sb         c waits for a               2 messages long
    total      c waits for a, b for a      (sent in the order a, b, c)
"""

from __future__ import annotations

from collections.abc import Sequence
from enum import Enum
from typing import NamedTuple

from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy
from ordering.values import Message, MessageId


class Arrival(NamedTuple):
    """Which message of the group (by its number in sending order) arrives when."""

    arrived_at: int
    number: int


class Wait(NamedTuple):
    """How one message fared. `maybe_last_missing` is None where it didn't wait, or never ended."""

    number: int
    waited_messages: int
    waited_us: int
    maybe_last_missing: int | None
    is_delivered: bool


class Run(NamedTuple):
    """One group under one order."""

    waits: list[Wait]
    most_held: int


class Cause(Enum):
    """What the last missing message is to the one that waited for it."""

    ANCESTOR = "an ancestor"
    OWN = "its sender's own"
    UNRELATED = "unrelated"


def run_group(policy: GroupPolicy, messages: Sequence[Message], arrivals: Sequence[Arrival]) -> Run:
    """Feeds the messages in order of arrival; the clock is the instant of each arrival."""
    engine = Engine(policy)
    numbers = {message.id: number for number, message in enumerate(messages)}
    arrived: dict[int, tuple[int, int]] = {}
    waits: list[Wait] = []
    most_held = 0
    for place, (arrived_at, number) in enumerate(arrivals):
        arrived[number] = (place, arrived_at)
        for event in engine.receive(messages[number], now=arrived_at):
            if isinstance(event, Delivered):
                delivered = numbers[event.message.id]
                first_place, first_at = arrived.pop(delivered)
                waits.append(
                    Wait(
                        delivered,
                        place - first_place,
                        arrived_at - first_at,
                        None if delivered == number else number,
                        is_delivered=True,
                    )
                )
        most_held = max(most_held, engine.held_count)
    end_place, end_at = len(arrivals), arrivals[-1].arrived_at
    for number, (place, at) in arrived.items():
        waits.append(Wait(number, end_place - place, end_at - at, None, is_delivered=False))
    return Run(waits, most_held)


class Ancestry:
    """Answers what one message of a group is to another, by parents alone."""

    def __init__(self, ids: Sequence[MessageId], parents: Sequence[Sequence[MessageId]]) -> None:
        numbers = {message_id: number for number, message_id in enumerate(ids)}
        self._ids = ids
        self._parents = [
            [numbers[parent] for parent in links if parent in numbers] for links in parents
        ]

    def cause(self, number: int, last_missing: int) -> Cause:
        """Why `number` waited for `last_missing`; an ancestor counts before the sender's own."""
        if self._is_ancestor(last_missing, number):
            return Cause.ANCESTOR
        if self._ids[last_missing].sender == self._ids[number].sender:
            return Cause.OWN
        return Cause.UNRELATED

    def _is_ancestor(self, candidate: int, number: int) -> bool:
        seen = {number}
        to_visit = [number]
        while to_visit:
            for parent in self._parents[to_visit.pop()]:
                if parent == candidate:
                    return True
                if parent not in seen:
                    seen.add(parent)
                    to_visit.append(parent)
        return False
