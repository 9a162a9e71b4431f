"""The agent's status line: one line on a terminal that moves, and fits.

    received 1,426,045  49,958/s  published 1,426,045  waiting 0  kernel drops 12

What was passed over, and what is wrong, is shown only where it is not zero. Nothing is shown where
lines can't move.
"""

from __future__ import annotations

import shutil
import time
from collections import deque
from collections.abc import Callable
from typing import TYPE_CHECKING, Final

from console.terminal import CLEAR_LINE, COLUMN_GAP, Terminal

if TYPE_CHECKING:
    from ingest.counters import AgentCounters

RATE_OVER_S: Final = 2.0
"""Over how long the rate is taken, so that it can be read."""


class StatusLine:
    """Shows the counters of a running agent; `clock` and `width` are the terminal's own by
    default.
    """

    def __init__(
        self,
        terminal: Terminal,
        *,
        clock: Callable[[], float] = time.monotonic,
        width: Callable[[], int] = lambda: shutil.get_terminal_size().columns,
    ) -> None:
        self._terminal = terminal
        self._clock = clock
        self._width = width
        self._seen: deque[tuple[float, int]] = deque()

    def show(self, counters: AgentCounters) -> None:
        """Draw the line anew."""
        if not self._terminal.is_progress_live:
            return
        text = text_of(counters, per_s=self._rate(counters.received))
        # A line as wide as the terminal would wrap, and the next one leave it behind.
        stream = self._terminal.progress
        stream.write(f"{CLEAR_LINE}{text[: max(1, self._width() - 1)]}")
        stream.flush()

    def clear(self) -> None:
        """Take the line away, for what is printed at the end."""
        if self._terminal.is_progress_live:
            self._terminal.progress.write(CLEAR_LINE)
            self._terminal.progress.flush()

    def _rate(self, received: int) -> float:
        now_s = self._clock()
        self._seen.append((now_s, received))
        while len(self._seen) > 1 and now_s - self._seen[1][0] >= RATE_OVER_S:
            self._seen.popleft()
        first_s, first = self._seen[0]
        return (received - first) / (now_s - first_s) if now_s > first_s else 0.0


def text_of(counters: AgentCounters, *, per_s: float) -> str:
    """Give the line: what goes well, then all else that is not zero."""
    others = {
        "passed over": counters.passed_over,
        "malformed": sum(counters.malformed.values()),
        "refused": sum(counters.refused.values()),
        "kernel drops": counters.kernel_drops,
        "dropped": counters.dropped,
        "missing": counters.missing,
        "unpublishable": counters.unpublishable,
    }
    parts = [
        f"received {counters.received:,}",
        f"{per_s:,.0f}/s",
        f"published {counters.published:,}",
        f"waiting {counters.waiting:,}",
        *(f"{name} {count:,}" for name, count in others.items() if count),
    ]
    return COLUMN_GAP.join(parts)
