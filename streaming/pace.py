"""How many messages the next batch may have, so that it does not last long: pure.

A batch is taken as a whole, so what one sender's flood costs delays what others sent meanwhile,
also into other partitions. How much a message costs is not known beforehand: one of a group that
is at hand takes two millionths of a second, one that opens a group ten times as much. So the
last batch says how large the next one may be.

A batch has a cost of its own, however small it is, and it says nothing about messages. Where small
batches last long, because Spark begins one a minute or the cluster is slow, all may last some times
as long as they do.
"""

from __future__ import annotations

from typing import Final

LEAST: Final = 20_000
"""Messages that a batch may have in any case; how long a smaller one lasts is a cost of its own."""
FIRST_SHARE: Final = 4
"""The first batch may have a quarter of the most: nothing is known yet, and workers are cold."""
GROWTH: Final = 2
"""How many times as large the next batch may be."""
SMALL_TIMES: Final = 3
"""How many times as long as a small batch any batch may last."""


class Pace:
    """Told when a batch begins, and when the next one could; says how large that one may be."""

    def __init__(self, *, most: int, seconds: float, interval: float) -> None:
        """Batches of at most so many messages that last about so long; Spark begins one only at
        this interval.
        """
        self._most, self._seconds, self._interval = most, seconds, interval
        self._least = min(most, LEAST)
        self.bound = max(self._least, most // FIRST_SHARE)
        self._maybe_small: float | None = None
        """how long the shortest small batch lasted"""
        self._planned, self._began_at = 0.0, 0.0

    def begin(self, messages: float, *, at: float) -> None:
        """A batch of so many messages begins; none, if there is nothing new."""
        self._planned, self._began_at = messages, at

    def end(self, *, at: float) -> None:
        """The batch that began last is over."""
        planned, lasted = self._planned, max(at - self._began_at, 1e-3)
        self._planned = 0.0
        if 0 < planned <= self._least:
            self._maybe_small = min(lasted, self._maybe_small or lasted)
        if planned >= self._least:
            small = max(self._interval, self._maybe_small or 0)
            fitting = planned * max(self._seconds, SMALL_TIMES * small) / lasted
            self.bound = int(min(max(fitting, self._least), GROWTH * self.bound, self._most))
