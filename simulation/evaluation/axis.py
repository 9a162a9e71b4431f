"""An axis: where a value lies on the page, and which round values get a tick.

The charts make one per direction. Ticks are chosen from 1, 2, 2.5 and 5 times a power of ten
(linear) or are the powers of ten (logarithmic), so that a reader can read between them.

    values 0 .. 3.3   ->  ticks 0, 0.5, 1, ... 3.5
    values 0.4 .. 900 ->  ticks 0.1, 1, 10, 100, 1000 (logarithmic)
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from simulation.evaluation.page import Scale

MOST_TICKS = 8
_STEPS = (1.0, 2.0, 2.5, 5.0, 10.0)


class Axis(NamedTuple):
    """One direction of a chart: values from ticks[0] to ticks[-1], pixels from start to end."""

    ticks: tuple[float, ...]
    start: float
    end: float
    scale: Scale

    def place(self, value: float) -> float:
        """The pixel of `value`; what lies outside the ticks is drawn at the nearer end."""
        low, high = self._spread(self.ticks[0]), self._spread(self.ticks[-1])
        share = (self._spread(max(value, self.ticks[0])) - low) / (high - low)
        return self.start + min(share, 1.0) * (self.end - self.start)

    def _spread(self, value: float) -> float:
        return math.log10(value) if self.scale is Scale.LOGARITHMIC else value


def axis_for(
    values: Sequence[float], *, start: float, end: float, scale: Scale = Scale.LINEAR
) -> Axis:
    """The axis that shows all `values`; a logarithmic axis leaves out what isn't positive."""
    if scale is Scale.LOGARITHMIC:
        positive = [value for value in values if value > 0] or [1.0]
        low = math.floor(math.log10(min(positive)))
        high = max(math.ceil(math.log10(max(positive))), low + 1)
        return Axis(tuple(10.0**power for power in range(low, high + 1)), start, end, scale)
    return Axis(_linear_ticks(min(values), max(values)), start, end, scale)


def _linear_ticks(low: float, high: float) -> tuple[float, ...]:
    span = high - low or 1.0
    magnitude = 10.0 ** math.floor(math.log10(span / MOST_TICKS))
    step = next(
        magnitude * factor for factor in _STEPS if span / (magnitude * factor) <= MOST_TICKS
    )
    first = math.floor(round(low / step, 9))
    last = max(math.ceil(round(high / step, 9)), first + 1)
    return tuple(round(index * step, 10) for index in range(first, last + 1))


def tick_label(value: float) -> str:
    """A tick as people write it: 0.5, 20, 1,000."""
    if value == 0:
        return "0"
    if abs(value) >= 1:
        return f"{value:,.10g}" if value == int(value) else f"{value:,g}"
    return f"{value:g}"
