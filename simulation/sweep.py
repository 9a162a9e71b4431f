"""Many seeds on all cores.

`sweep` is what `precede simulate` and the tests call. Seeds are dealt out in chunks to worker
processes that share nothing: a worker gets numbers and gives numbers back, and the seeds that
failed. With one core, or few seeds, everything happens in this process. Workers end with the
process that started them, however that ends.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from dataclasses import dataclass, field
from functools import partial
from multiprocessing import get_context, parent_process
from threading import Thread
from typing import Final, NamedTuple, Protocol, TypeVar

from simulation.judge import CHECKERS
from simulation.run import run_seed

SEEDS_PER_CHUNK: Final = 200
"""About a second of work: small enough for a smooth progress bar, large enough to cost nothing."""

MOST_FAILURES_KEPT: Final = 20
"""Of one sweep: if more seeds fail than this, the first ones tell the story."""


Result = TypeVar("Result", covariant=True)


class RunChunk(Protocol[Result]):
    """Runs `count` seeds from `first` on, in whatever process it is called."""

    def __call__(self, first: int, *, count: int) -> Result:
        """Give what they came to."""


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
    run = partial(run_chunk, discipline=discipline)
    return deal_out(run, seeds, first=first, per_chunk=SEEDS_PER_CHUNK, workers=workers)


def deal_out(
    run: RunChunk[Result], seeds: int, *, first: int, per_chunk: int, workers: int | None
) -> Iterator[Result]:
    """Let worker processes run seeds in chunks; yields what each chunk came to as it is done."""
    chunks = [
        (start, min(per_chunk, first + seeds - start))
        for start in range(first, first + seeds, per_chunk)
    ]
    processes = min(workers or os.cpu_count() or 1, len(chunks))
    if processes <= 1:
        for start, count in chunks:
            yield run(start, count=count)
        return
    context = get_context("spawn")
    with ProcessPoolExecutor(processes, mp_context=context, initializer=end_with_parent) as pool:
        futures = [pool.submit(run, start, count=count) for start, count in chunks]
        try:
            for future in as_completed(futures):
                yield future.result()
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


def end_with_parent() -> None:
    """End this worker when the process that started it is gone, even if that was killed.

    A worker whose parent was killed would otherwise wait for work for ever.
    """
    Thread(target=_await_parent, daemon=True).start()


def _await_parent() -> None:
    maybe_parent = parent_process()
    if maybe_parent is not None:
        maybe_parent.join()
        os._exit(1)
