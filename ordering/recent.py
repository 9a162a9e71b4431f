"""The window of recent deliveries in which an equivocation is recognised.

The window holds a delivery while it is among the last `recent_deliveries` positions *and* was made
less than `recent_us` ago by the log's time. Both are facts of the log, so the answer never depends
on how messages were batched. References are kept and nothing is hashed until a snapshot is taken.
"""

from collections import deque
from collections.abc import Sequence
from hashlib import blake2b
from itertools import repeat
from typing import NamedTuple

from ordering.events import Delivered, Event
from ordering.policy import Limits
from ordering.values import Message, MessageId

DIGEST_BYTES = 8
"""Enough that nobody finds a second content with the digest of a given one within the window."""


def digest(content: bytes) -> bytes:
    """Name a content the same way in every process."""
    return blake2b(content, digest_size=DIGEST_BYTES).digest()


class Remembered(NamedTuple):
    """A delivery from before a restore, of which only the digest is known."""

    position: int
    message_id: MessageId
    digest: bytes


class RecentDeliveries:
    """The last deliveries of one group, newest last."""

    __slots__ = ("_deliveries", "_indexed", "_positions", "_recent_us", "_width")

    def __init__(self, limits: Limits) -> None:
        self._width = limits.recent_deliveries
        self._recent_us = limits.recent_us
        self._deliveries: deque[tuple[Delivered | Remembered, int]] = deque(maxlen=self._width)
        self._positions: dict[MessageId, tuple[Delivered | Remembered, int]] = {}
        self._indexed = 0
        """the highest position that `_positions` knows"""

    def extend(self, events: Sequence[Event], *, first: int, now: int) -> None:
        """Take the deliveries among events[first:], no more of the newest than the window holds."""
        newest: list[Delivered] = []
        for at in range(len(events) - 1, first - 1, -1):
            event = events[at]
            if isinstance(event, Delivered):
                newest.append(event)
                if len(newest) == self._width:
                    break
        newest.reverse()
        self._deliveries.extend(zip(newest, repeat(now)))

    def is_equivocation(self, message: Message, *, position: int, now: int) -> bool:
        """Tell whether the id was recently delivered with other content.

        `position` is the group's last position. A delivery outside the window gives False: the
        message is then an ordinary duplicate, and verification of the whole history is elsewhere.
        """
        self._index()
        found = self._positions.get(message.id)
        if found is None:
            return False
        delivery, delivered_at = found
        if delivery.position <= position - self._width or now - delivered_at >= self._recent_us:
            return False
        if isinstance(delivery, Delivered):
            return delivery.message.content != message.content
        return delivery.digest != digest(message.content)

    def _index(self) -> None:
        """Bring the index up to the newest delivery; each delivery is indexed at most once."""
        fresh = []
        for pair in reversed(self._deliveries):
            if pair[0].position <= self._indexed:
                break
            fresh.append(pair)
        if len(self._positions) + len(fresh) > 2 * self._width:
            self._positions.clear()
            fresh = list(reversed(self._deliveries))
        for pair in reversed(fresh):
            delivery = pair[0]
            if isinstance(delivery, Delivered):
                self._positions[delivery.message.id] = pair
            else:
                self._positions[delivery.message_id] = pair
            self._indexed = delivery.position

    def remembered(self, *, position: int, now: int) -> list[tuple[Remembered, int]]:
        """Give what a snapshot must keep: the window as it stands now, digested."""
        kept: list[tuple[Remembered, int]] = []
        for delivery, delivered_at in self._deliveries:
            if delivery.position <= position - self._width:
                continue
            if now - delivered_at >= self._recent_us:
                continue
            if isinstance(delivery, Delivered):
                message = delivery.message
                delivery = Remembered(delivery.position, message.id, digest(message.content))
            kept.append((delivery, delivered_at))
        # From here on the digests answer for the contents, and the next snapshot hashes only what
        # is new.
        self._deliveries.clear()
        self._deliveries.extend(kept)
        return kept

    def recall(self, remembered: Sequence[tuple[Remembered, int]]) -> None:
        """Put back what `remembered` gave."""
        self._deliveries.extend(remembered)
