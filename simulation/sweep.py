"""Many seeds on all cores.

`sweep` is what `precede simulate` and the tests call. Seeds are dealt out in chunks to worker
processes that share nothing: a worker gets numbers and gives numbers back, and the seeds that
failed. With one core, or few seeds, everything happens in this process.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from multiprocessing import get_context
from typing import Final, NamedTuple

from simulation.judge import CHECKERS
from simulation.run import run_seed

SEEDS_PER_CHUNK: Final = 200
"""About a second of work: small enough for a smooth progress bar, large enough to cost nothing."""

MOST_FAILURES_KEPT: Final = 20
"""Of one sweep: if more seeds fail than this, the first ones tell the story."""


class Failure(NamedTuple):
    """One seed that broke a promise."""

    seed: int
    checkers: tuple[str, ...]
    sentence: str


@dataclass(slots=True)
class Summary:
    """What a sweep came to; chunks are summaries too, and are added up."""

    seeds: int = 0
    messages: int = 0
    receipts: int = 0
    crash_points: int = 0
    digest: int = 0  # the sum of the worlds' digests: the same on every machine
    broken: Counter[str] = field(default_factory=Counter)  # checker -> seeds in which it spoke
    failures: list[Failure] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no promise was broken."""
        return not self.broken

    def add(self, other: Summary) -> None:
        """Take a chunk in."""
        self.seeds += other.seeds
        self.messages += other.messages
        self.receipts += other.receipts
        self.crash_points += other.crash_points
        self.digest = (self.digest + other.digest) % (1 << 64)
        self.broken += other.broken
        self.failures = sorted(self.failures + other.failures)[:MOST_FAILURES_KEPT]

    def line(self) -> str:
        """The one line that a person reads."""
        counts = "  ".join(f"{checker} {self.broken[checker]:,}" for checker in CHECKERS)
        return (
            f"{self.seeds:,} seeds  {self.messages:,} messages  {self.receipts:,} receipts  "
            f"{self.crash_points:,} crash points  {counts}"
        )


def run_chunk(first: int, *, count: int, discipline: str | None = None) -> Summary:
    """Run some seeds in this process. Called in a worker."""
    summary = Summary()
    for seed in range(first, first + count):
        outcome = run_seed(seed, discipline=discipline)
        summary.seeds += 1
        summary.messages += outcome.messages
        summary.receipts += outcome.receipts
        summary.crash_points += outcome.crash_points
        summary.digest += outcome.digest
        if outcome.violations:
            checkers = tuple(dict.fromkeys(one.checker for one in outcome.violations))
            summary.broken.update(checkers)
            if len(summary.failures) < MOST_FAILURES_KEPT:
                summary.failures.append(Failure(seed, checkers, str(outcome.violations[0])))
    return summary


def sweep(
    seeds: int, *, first: int = 0, discipline: str | None = None, workers: int | None = None
) -> Iterator[Summary]:
    """Run `seeds` worlds from seed `first` on; yields each chunk's summary as it is done."""
    chunks = [
        (start, min(SEEDS_PER_CHUNK, first + seeds - start))
        for start in range(first, first + seeds, SEEDS_PER_CHUNK)
    ]
    processes = min(workers or os.cpu_count() or 1, len(chunks))
    if processes <= 1:
        for start, count in chunks:
            yield run_chunk(start, count=count, discipline=discipline)
        return
    with ProcessPoolExecutor(processes, mp_context=get_context("spawn")) as pool:
        futures = [
            pool.submit(run_chunk, start, count=count, discipline=discipline)
            for start, count in chunks
        ]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)
