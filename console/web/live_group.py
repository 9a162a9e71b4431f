"""One group as the page sees it live: its newest deliveries, what is held, and how fast it moves.

Deliveries come in the order of their ordinals and leave at the other end when the model is full, so
a place is found by bisection. Changes of what is held are numbered by the model and kept for a
while: a reader that is further behind gets the whole picture again.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import deque
from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from sinks.waits import Sought

Coordinates = tuple[int, int, int]
"""Shard (`sinks.shards`), offset, entry: where a message was captured."""

CHANGES_KEPT: Final = 4_096
"""Changes of what is held that are kept for slow readers; some hundreds of kilobytes."""

CHART_SECONDS: Final = 60
RATE_SECONDS: Final = 10


class LiveMessage(NamedTuple):
    """One delivery, as the page shows it."""

    ordinal: int
    position: int
    id: str
    parents: tuple[str, ...]
    text: str
    is_cut: bool
    marks: tuple[str, ...]
    sent_at: int
    captured_at: int
    delivered_at: int
    """The latest capture among this and all earlier positions: what made the delivery possible."""
    coordinates: Coordinates

    def shown(self) -> dict[str, Any]:
        """As a value for JSON; every time is in microseconds."""
        return self._asdict()


class HeldMessage(NamedTuple):
    """One message that waits; what it says is known once its raw record has been read."""

    id: str
    sought: Sought
    since: int
    told_at: int
    coordinates: Coordinates
    maybe_text: str | None = None
    parents: tuple[str, ...] = ()

    def shown(self) -> dict[str, Any]:
        """As a value for JSON."""
        return {
            "id": self.id,
            **self.sought._asdict(),
            "since": self.since,
            "told_at": self.told_at,
            "text": self.maybe_text,
            "parents": self.parents,
        }


class Change(NamedTuple):
    """What became of a held message: its newest word, or how its wait ended."""

    version: int
    id: str
    maybe_held: HeldMessage | None
    status: str


class LiveGroup:
    """Everything that is kept of one group; the model guards it with its lock."""

    def __init__(self, name: str, partition: int) -> None:
        self.name = name
        self.partition = partition
        self.position = 0
        self.delivered_at = 0
        self.held: dict[str, HeldMessage] = {}
        self.held_beyond = 0
        """held messages that the model had no room for: only counted"""
        self.abandoned = 0
        self._messages: list[LiveMessage] = []
        self._head = 0
        self._by_id: dict[str, LiveMessage] = {}
        self._changes: deque[Change] = deque(maxlen=CHANGES_KEPT)
        self._dropped_version = 0
        self._seconds: deque[list[int]] = deque(maxlen=CHART_SECONDS + 1)

    def __len__(self) -> int:
        return len(self._messages) - self._head

    @property
    def first_ordinal(self) -> int:
        """The oldest delivery that is still here; 0 if there is none."""
        return self._messages[self._head].ordinal if len(self) else 0

    @property
    def last_ordinal(self) -> int:
        """The newest delivery that is here; 0 if there is none."""
        return self._messages[-1].ordinal if len(self) else 0

    def deliver(self, message: LiveMessage, *, at_second: int) -> None:
        """Take the next delivery."""
        self._messages.append(message)
        self._by_id[message.id] = message
        self.position = message.position
        if self._seconds and self._seconds[-1][0] >= at_second:
            self._seconds[-1][1] += 1
        else:
            self._seconds.append([at_second, 1])

    def drop_oldest(self) -> None:
        """Make room: forget the oldest delivery, which the tables have."""
        if not len(self):
            return
        oldest = self._messages[self._head]
        if self._by_id.get(oldest.id) is oldest:
            del self._by_id[oldest.id]
        self._head += 1
        if self._head > 1_000 and self._head * 2 > len(self._messages):
            del self._messages[: self._head]
            self._head = 0

    def find(self, message_id: str) -> LiveMessage | None:
        """A delivery that is still here."""
        return self._by_id.get(message_id)

    def after(self, ordinal: int, *, at_most: int) -> list[LiveMessage]:
        """The next deliveries behind this ordinal, oldest first."""
        start = bisect_right(
            self._messages, ordinal, lo=self._head, key=lambda message: message.ordinal
        )
        return self._messages[start : start + at_most]

    def hold(self, held: HeldMessage, *, version: int) -> None:
        """A message waits, or waits for something else now."""
        self.held[held.id] = held
        self._tell(Change(version, held.id, held, "held"))

    def end_wait(self, message_id: str, status: str, *, version: int) -> None:
        """A wait has ended."""
        if self.held.pop(message_id, None) is None:
            self.held_beyond = max(0, self.held_beyond - 1)
        self._tell(Change(version, message_id, None, status))

    def _tell(self, change: Change) -> None:
        if len(self._changes) == CHANGES_KEPT:
            self._dropped_version = self._changes[0].version
        self._changes.append(change)

    def changes_after(self, version: int) -> list[Change] | None:
        """What changed since; None if that is too long ago to tell."""
        if version < self._dropped_version:
            return None
        found: list[Change] = []
        for change in reversed(self._changes):
            if change.version <= version:
                break
            found.append(change)
        found.reverse()
        return found

    def gaps(self) -> dict[Sought, int]:
        """What is missing (waited for and not itself held), and by how many directly."""
        missing: dict[Sought, int] = {}
        for held in self.held.values():
            if held.sought.waiting_for not in self.held:
                missing[held.sought] = missing.get(held.sought, 0) + 1
        return missing

    def chart(self, now_second: int) -> list[int]:
        """Deliveries in each of the last sixty seconds, oldest first."""
        bars = [0] * CHART_SECONDS
        for second, count in self._seconds:
            place = CHART_SECONDS - 1 - (now_second - second)
            if 0 <= place < CHART_SECONDS:
                bars[place] += count
        return bars

    def overview(self, now_second: int) -> dict[str, Any]:
        """The group's line in the table of groups, but for its discipline."""
        chart = self.chart(now_second)
        # The running second is not over and would make every rate look lower.
        rate = sum(chart[-RATE_SECONDS - 1 : -1]) / RATE_SECONDS
        return {
            "group": self.name,
            "partition": self.partition,
            "delivered": self.position,
            "rate": rate,
            "held": len(self.held) + self.held_beyond,
            "oldest_held_at": min((held.since for held in self.held.values()), default=None),
            "gaps": len(self.gaps()),
            "abandoned": self.abandoned,
            "delivered_at": self.delivered_at,
            "chart": chart,
        }

    def unread(self) -> Iterator[HeldMessage]:
        """Held messages whose raw record nobody has looked at yet."""
        return (held for held in self.held.values() if held.maybe_text is None)
