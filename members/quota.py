"""Quotas: so many datagrams per second of each name, and the rest is refused.

    alice floods            alice's bucket is empty: refused, counted
    bob speaks meanwhile    bob's bucket is full: taken

A bucket belongs to a name without its incarnation, or a flood would take a new one for each
datagram. There are so many buckets and no more; names beyond that share one, so that made-up names
bound themselves. Pure: the caller says what time it is.
"""

from typing import Final

_MICROSECONDS_PER_SECOND: Final = 1_000_000
STRANGERS: Final = ""
"""The bucket that all names share for which there is no room. No name is empty."""


class Bucket:
    """So many at once, so many per second after that."""

    __slots__ = ("_filled_at", "_full", "_level", "_per_second")

    def __init__(self, *, per_second: int, burst: int, now: int) -> None:
        self._per_second = per_second
        # In millionths of a token: a bucket that is filled by whole numbers never drifts.
        self._full = burst * _MICROSECONDS_PER_SECOND
        self._level = self._full
        self._filled_at = now

    def take(self, *, now: int, count: int = 1) -> bool:
        """Tell whether so many more may pass."""
        gained = (now - self._filled_at) * self._per_second
        if gained > 0:
            self._level = min(self._full, self._level + gained)
            self._filled_at = now
        asked = count * _MICROSECONDS_PER_SECOND
        if self._level < asked:
            return False
        self._level -= asked
        return True


class Quotas:
    """A bucket for each name."""

    def __init__(self, *, per_second: int, burst: int, names: int) -> None:
        self._per_second = per_second
        self._burst = burst
        self._names = names
        self._buckets: dict[str, Bucket] = {}

    def take(self, name: str, *, now: int, count: int = 1) -> bool:
        """Tell whether a datagram of this name may pass. Called for every datagram."""
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = self._new(name, now=now)
        return bucket.take(now=now, count=count)

    def _new(self, name: str, *, now: int) -> Bucket:
        if len(self._buckets) >= self._names:
            name = STRANGERS
        bucket = self._buckets.get(name)
        if bucket is None:
            bucket = Bucket(per_second=self._per_second, burst=self._burst, now=now)
            self._buckets[name] = bucket
        return bucket
