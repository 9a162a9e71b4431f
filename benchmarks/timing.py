"""Timing: how long a piece of work takes, on a machine that others use too.

- The clock counts the processor time of this thread, so that waiting for a core does not count.
- Contestants run one after the other, round after round, and the best round of each counts: what
  disturbs a run only ever makes it slower, and what slows the machine for a while slows all alike.
- A calibration loop says how fast plain Python is here, so that readers can compare machines.

Processor time does not cure everything: neighbours still take away cache and memory bandwidth.
"""

from __future__ import annotations

import gc
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Final, NamedTuple, TypeAlias

NS_PER_S: Final = 1_000_000_000
CALIBRATION_STEPS: Final = 200_000

now_ns: Final = time.thread_time_ns
"""The clock of all measurements."""

Say: TypeAlias = Callable[[str], None]
"""Where a benchmark tells how far it has come."""


class Run(NamedTuple):
    """One run of a contestant: how many messages went in, came out, and how long that took."""

    messages: int
    delivered: int
    elapsed_ns: int

    @property
    def per_s(self) -> float:
        return self.messages * NS_PER_S / self.elapsed_ns

    @property
    def ns_per_message(self) -> float:
        return self.elapsed_ns / self.messages


Contestant: TypeAlias = Callable[[], Run]
"""Does its work once, and tells how long the part that counts took."""


def race(contestants: Mapping[str, Contestant], *, repeats: int) -> dict[str, Run]:
    """Let all run in turn, `repeats` times, and give the best run of each."""
    best: dict[str, Run] = {}
    for _ in range(repeats):
        for name, contestant in contestants.items():
            with fresh_memory():
                run = contestant()
            if name not in best or run.per_s > best[name].per_s:
                best[name] = run
    return best


@contextmanager
def fresh_memory() -> Iterator[None]:
    """Begin with nothing left for the garbage collector to find.

    What is alive now (the prepared input) is hidden from it: no host has its input lying about in
    memory, so that walking it would be a cost of the benchmark. The collector itself stays on, as
    it is in the job's workers.
    """
    gc.collect()
    gc.freeze()
    try:
        yield
    finally:
        gc.unfreeze()


@contextmanager
def without_collector() -> Iterator[None]:
    """Switch the garbage collector off, for a host that does the same."""
    was_enabled = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if was_enabled:
            gc.enable()


def calibration_loop_ns() -> float:
    """Measure one step of a plain loop in Python: a machine's pace, to compare figures by."""
    total = 0
    started = now_ns()
    for step in range(CALIBRATION_STEPS):
        total += step
    return (now_ns() - started) / CALIBRATION_STEPS
