"""Telling: a member says what it has from time to time, so that a lost last message is found.

A message that is followed by others is missed when those come. The last one is missed by nobody
who did not hear of it, so every member tells what it has some time after something changed, and
more and more seldom while nothing does:

    a message comes    tell within 1 s    2 s    4 s  ...  every 30 s

Who hears exactly its own words from another need not say them: in a quiet group one member speaks
for all. Who hears that another lacks something tells soon, so that it asks.
"""

from random import Random

from members.limits import Pace


class Telling:
    """When one group is told what this member has."""

    def __init__(self, *, rng: Random, pace: Pace, now: int) -> None:
        self._rng = rng
        self._pace = pace
        self._interval_us = pace.tell_after_us
        self._crowd = 1
        self._next_at = now + self._drawn()
        self._soon_from_at = now
        self._soon_interval_us = pace.tell_after_us

    @property
    def next_at(self) -> int:
        """When it is told next."""
        return self._next_at

    def crowd(self, members: int) -> None:
        """Say how many members there are: more of them tell less often each."""
        self._crowd = max(1, members // 4)

    def changed(self, *, now: int) -> None:
        """Something was received, or somebody came or left."""
        self._soon_interval_us = self._pace.tell_after_us
        if self._interval_us != self._pace.tell_after_us:
            self._interval_us = self._pace.tell_after_us
            self._next_at = min(self._next_at, now + self._drawn())

    def soon(self, *, now: int) -> None:
        """Somebody lacks what is had here.

        Done at once, and then more and more seldom while nothing changes: two members who can not
        help each other would otherwise go on telling each other so for ever.
        """
        if now < self._soon_from_at:
            return
        self._soon_from_at = now + self._soon_interval_us
        self._soon_interval_us = min(2 * self._soon_interval_us, self._pace.tell_longest_us)
        within_us = self._pace.answer_within_us * self._crowd
        self._next_at = min(self._next_at, now + self._rng.randrange(1, within_us + 1))

    def heard_the_same(self, *, now: int) -> None:
        """Somebody told exactly what would be told here."""
        self._put_off(now=now)

    def told(self, *, now: int) -> None:
        """It was told."""
        self._put_off(now=now)

    def _put_off(self, *, now: int) -> None:
        self._interval_us = min(2 * self._interval_us, self._pace.tell_longest_us)
        self._next_at = now + self._drawn()

    def _drawn(self) -> int:
        span_us = self._interval_us * self._crowd
        return span_us // 2 + self._rng.randrange(span_us)
