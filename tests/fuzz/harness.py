"""Run a target on inputs by seed; what gives a new outcome is mutated further.

    result = fuzz(TARGETS["envelope"], inputs=100_000, seed=7)
    result.crashes              # {} is what we want

1. The pool begins with the target's examples and its corpus.
2. An input is a member of the pool, changed one to four times, and mended half of the time.
3. An outcome that was not seen before puts its input into the pool.
4. A crash is shrunk as long as the same error comes from the same place, and kept once.

The same target, seed, number and corpus give the same inputs on every machine.
"""

from __future__ import annotations

import random
import time
import traceback
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from tests.fuzz.mutator import Mutator
from tests.fuzz.shrinking import shrink
from tests.fuzz.target import Target

MOST_POOLED: Final = 512
"""Inputs that are mutated further; the examples are always among them."""

MOST_CRASHES: Final = 16
"""Different crashes after which a run ends: there is enough to mend."""

HANG_S: Final = 5.0
"""Processor time after which one input counts as a crash, though nothing was raised."""

TELL_EVERY: Final = 50_000
"""Inputs between two calls of `tell`."""


class Crash(NamedTuple):
    """What went wrong, where, and the smallest input that shows it."""

    error: str
    place: str
    data: bytes


@dataclass
class Result:
    """What a run came to."""

    target: str
    seed: int
    inputs: int = 0
    elapsed_s: float = 0.0
    slowest_s: float = 0.0
    outcomes: Counter[str] = field(default_factory=Counter)
    crashes: dict[str, Crash] = field(default_factory=dict)
    found: list[bytes] = field(default_factory=list)
    """One input for each outcome, in the order of their finding."""

    @property
    def accepted(self) -> int:
        """How many inputs a parser took: if there are none, nothing behind its checks was tried."""
        return sum(n for name, n in self.outcomes.items() if name.startswith("accepted"))

    def line(self) -> str:
        """The one line that a run ends with."""
        rate = self.inputs / self.elapsed_s if self.elapsed_s else 0.0
        return (
            f"{self.target}: {self.inputs:,} inputs, {len(self.crashes)} crashes,"
            f" {len(self.outcomes)} outcomes, {self.accepted:,} accepted,"
            f" slowest {self.slowest_s * 1_000:.1f} ms, {rate:,.0f}/s, seed {self.seed}"
        )


def fuzz(
    target: Target,
    *,
    inputs: int,
    seed: int,
    corpus: Sequence[bytes] = (),
    tell: Callable[[Result], None] = lambda _: None,
) -> Result:
    """Run a target on so many inputs; `tell` hears now and then how far it has come."""
    chance = random.Random(f"{target.name} {seed}")
    mutator = Mutator(chance, fields=target.fields, tokens=target.tokens)
    pool = [*target.examples, *corpus][:MOST_POOLED]
    result = Result(target.name, seed)
    started_s = time.perf_counter()
    draw = chance.random
    for number in range(inputs):
        if number < len(pool) and number < len(target.examples) + len(corpus):
            data = pool[number]
        else:
            size = len(pool)
            data = mutator.mutate(pool[int(draw() * size)], pool[int(draw() * size)])
            if draw() < 0.5:
                data = target.mend(data, chance)
        _take(target, data, result, pool)
        if len(result.crashes) >= MOST_CRASHES:
            break
        if number % TELL_EVERY == TELL_EVERY - 1:
            result.elapsed_s = time.perf_counter() - started_s
            tell(result)
    result.elapsed_s = time.perf_counter() - started_s
    return result


def _take(target: Target, data: bytes, result: Result, pool: list[bytes]) -> None:
    result.inputs += 1
    before_s = time.thread_time()
    try:
        outcome = target.run(data)
    except Exception as error:
        crash = _crash_of(error, data)
        if crash.place not in result.crashes:
            small = shrink(
                data,
                lambda candidate: _place(target, candidate) == crash.place,
                mended=lambda candidate: target.mend(candidate, random.Random(0)),
            )
            result.crashes[crash.place] = crash._replace(data=small)
        return
    took_s = time.thread_time() - before_s
    result.slowest_s = max(result.slowest_s, took_s)
    if took_s > HANG_S:
        result.crashes["hang"] = Crash(f"took {took_s:.1f} s", "hang", data)
    if outcome not in result.outcomes:
        result.found.append(data)
        if len(pool) < MOST_POOLED:
            pool.append(data)
    result.outcomes[outcome] += 1


def _place(target: Target, data: bytes) -> str | None:
    try:
        target.run(data)
    except Exception as error:
        return _crash_of(error, data).place
    return None


def _crash_of(error: Exception, data: bytes) -> Crash:
    """Name a crash by its error and the line that raised it, so that each fault is kept once."""
    frames = traceback.extract_tb(error.__traceback__)
    last = frames[-1]
    place = f"{type(error).__name__} at {last.name}:{last.lineno}"
    return Crash(f"{type(error).__name__}: {error}", place, data)
