"""When a raw partition gets its next tick: pure decisions, for the ticker to carry out.

A tick says "everything before me was there in time". So one is written only when what the partition
held at a moment has been ordered:

1. when the pace says so, note the partition's end;
2. when the job has ordered up to that end, write the tick;
3. a partition to which nothing came since its last tick, and in which nothing will be given up,
   needs none: whoever waits has been told, and a tick would cost a batch.

So while the job catches up after an absence the log's time stands still, and nothing is given up
that the backlog would have completed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple


class Ordered(NamedTuple):
    """How far the job is in one partition: the next offset to order, and who waits for time."""

    next_offset: int = 0
    deadlines: int = 0


class TickPlan:
    """Decides for all partitions. `now` is any clock in microseconds that does not go back."""

    def __init__(self, partitions: int, *, pace_us: int) -> None:
        self._pace_us = pace_us
        self._due_at = dict.fromkeys(range(partitions), 0)
        self._awaited: dict[int, int] = {}
        self._last_tick: dict[int, int] = {}

    def due(self, *, now: int) -> list[int]:
        """Give the partitions whose end must be looked at now."""
        return [
            partition
            for partition, due_at in self._due_at.items()
            if due_at <= now and partition not in self._awaited
        ]

    def look(self, partition: int, *, start: int, end: int, ordered: Ordered) -> None:
        """Take notice of a partition's first and next offset."""
        has_news = end > self._last_tick.get(partition, start - 1) + 1
        if has_news or ordered.deadlines:
            self._awaited[partition] = end

    def ready(self, ordered: Mapping[int, Ordered]) -> list[int]:
        """Give the partitions that have been ordered up to where they were looked at."""
        return [
            partition
            for partition, end in self._awaited.items()
            if ordered.get(partition, Ordered()).next_offset >= end
        ]

    def ticked(self, partition: int, *, offset: int, now: int) -> None:
        """Take notice that a tick stands at this offset; the next is due one pace later."""
        self._awaited.pop(partition, None)
        self._last_tick[partition] = max(offset, self._last_tick.get(partition, -1))
        self._due_at[partition] = now + self._pace_us
