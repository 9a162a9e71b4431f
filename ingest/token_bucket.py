"""A token bucket: so many at once, so many per second after that, and the rest is refused.

    rate 2/s, burst 3      t=0 s: yes yes yes no      t=0.5 s: yes no      t=10 s: yes yes yes no

Pure: the caller says what time it is.
"""

from typing import Final

_MICROSECONDS_PER_SECOND: Final = 1_000_000


class TokenBucket:
    """Limits a flow: samples for quarantine, a sender's messages, its repeats, its incarnations."""

    def __init__(self, *, per_second: int, burst: int) -> None:
        self._per_second = per_second
        # In millionths of a token: a bucket that is filled by whole numbers never drifts.
        self._full = burst * _MICROSECONDS_PER_SECOND
        self._level = self._full
        self._maybe_filled_at: int | None = None

    def take(self, *, now: int) -> bool:
        """Say whether one more may pass at this instant (microseconds; a clock that never goes
        back).
        """
        if self._maybe_filled_at is not None:
            gained = max(0, now - self._maybe_filled_at) * self._per_second
            self._level = min(self._full, self._level + gained)
        self._maybe_filled_at = now
        if self._level < _MICROSECONDS_PER_SECOND:
            return False
        self._level -= _MICROSECONDS_PER_SECOND
        return True
