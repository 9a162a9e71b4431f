"""Scaling: does a message cost the same after a million others?

A group of a million messages is compared with a hundred groups of ten thousand. They take turns
after every ten thousand messages, so that a disturbance of the machine falls on both alike, and
both sums cover the same number of messages:

    1e6  ██████████ ██████████ ██████████ ...      one engine
    1e5  ██████████ ██████████ ██████████ ...      a new engine after every tenth turn
    1e4  ██████████ ██████████ ██████████ ...      a new engine in every turn

When the largest group is larger than a million, the others sit out some of its turns.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Final

from benchmarks.arrivals import Arrival, conversation
from benchmarks.contestants import EngineRun
from benchmarks.decoding import batches
from benchmarks.figures import short
from benchmarks.timing import Run, fresh_memory
from ordering.policy import GroupPolicy

SMALLEST: Final = 10_000
"""The smallest group, and the messages of one turn."""
MOST_TURNS: Final = 100
"""Turns of every group but the largest."""
JITTER: Final = 200
MOST_KEPT: Final = 100_000
"""Arrivals of a group up to this size are drawn once and kept; else they are drawn as it goes."""


class Track:
    """Groups of one size, one after the other, and what their messages cost in all."""

    def __init__(self, size: int) -> None:
        self._size = size
        self._kept = list(conversation(size, jitter=JITTER)) if size <= MOST_KEPT else None
        self._arrivals: Iterator[Arrival] = iter(())
        self._run: EngineRun | None = None
        self._messages = 0
        self._delivered = 0
        self._elapsed_ns = 0

    def turn(self) -> None:
        """Let the group take its next messages; a group that is full makes way for a new one."""
        if self._run is None or self._run.messages == self._size:
            self._close()
            self._run = EngineRun(GroupPolicy())
            self._arrivals = iter(self._kept or conversation(self._size, jitter=JITTER))
        self._run.take(batches(islice(self._arrivals, SMALLEST)))

    def result(self) -> Run:
        """Give the sum over all groups so far."""
        self._close()
        return Run(self._messages, self._delivered, self._elapsed_ns)

    def _close(self) -> None:
        if self._run is not None:
            run = self._run.result()
            self._messages += run.messages
            self._delivered += run.delivered
            self._elapsed_ns += run.elapsed_ns
        self._run = None


def sizes_up_to(largest: int) -> list[int]:
    """Give 10,000 and its tenfolds up to the largest."""
    sizes = [SMALLEST]
    while sizes[-1] * 10 <= largest:
        sizes.append(sizes[-1] * 10)
    return sizes


def run_by_size(largest: int) -> dict[int, Run]:
    """Measure groups of every size up to the largest, taking turns."""
    sizes = sizes_up_to(largest)
    tracks = {size: Track(size) for size in sizes}
    turns = sizes[-1] // SMALLEST
    with fresh_memory():
        for turn in range(turns):
            is_turn_of_all = turn % max(1, turns // MOST_TURNS) == 0
            for size, track in tracks.items():
                if size == sizes[-1] or is_turn_of_all:
                    track.turn()
    return {size: track.result() for size, track in tracks.items()}


def figures_by_size(by_size: dict[int, Run]) -> tuple[dict[str, Run], dict[str, float]]:
    """Give the cost per message at each size, and as a ratio to that of the smallest."""
    smallest = by_size[SMALLEST].ns_per_message
    figures = {
        f"cost_per_message_{short(size)}_ns": run.ns_per_message for size, run in by_size.items()
    }
    for size, run in by_size.items():
        if size > SMALLEST:
            name = f"ratio_cost_per_message_{short(size)}_to_{short(SMALLEST)}"
            figures[name] = run.ns_per_message / smallest
    return {f"groups of {size}": run for size, run in by_size.items()}, figures
