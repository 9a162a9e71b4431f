"""When the network is cut in two, drawn from a seed: periods in which nothing passes.

    passes ──────────── cut ─── passes ──────── cut ────── passes ...
    0        about `every_us`     about `for_us`

Each period takes between half and one and a half times its stated length. Time is passed in and
only goes forward; the first question starts the first period. The same seed and the same times give
the same answers, whatever else is drawn meanwhile.
"""

import random
from typing import Final

_SHORTEST: Final = 0.5
_LONGEST: Final = 1.5


class Partitions:
    """Says whether the network is cut. Called by the fault schedule for each datagram."""

    def __init__(self, *, seed: int, every_us: int, for_us: int) -> None:
        """Without a length (`for_us` 0) the network is never cut."""
        self._random = random.Random(f"partitions of {seed}")
        self._every_us = every_us
        self._for_us = for_us
        self._is_cut = False
        self._maybe_until: int | None = None

    def cut_until(self, now: int) -> int | None:
        """Give when the present cut ends, or None while the network passes everything."""
        if not self._for_us:
            return None
        if self._maybe_until is None:
            self._maybe_until = now + self._length(self._every_us)
        while self._maybe_until <= now:
            self._is_cut = not self._is_cut
            self._maybe_until += self._length(self._for_us if self._is_cut else self._every_us)
        return self._maybe_until if self._is_cut else None

    def _length(self, stated_us: int) -> int:
        return max(1, round(stated_us * self._random.uniform(_SHORTEST, _LONGEST)))
