"""Many populations on all cores: what `precede simulate --world members` and the tests run.

Seeds are dealt out in chunks to worker processes that share nothing, as in `simulation.sweep`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from typing import Any, Final, NamedTuple

from simulation.populations.run import NAMES, run_population
from simulation.sweep import MOST_FAILURES_KEPT, deal_out

SEEDS_PER_CHUNK: Final = 25
"""About a second of work."""


class Failure(NamedTuple):
    """One population that broke a promise."""

    seed: int
    checkers: tuple[str, ...]
    sentence: str

    def command(self, discipline: str | None = None) -> str:
        """What to type to run it again."""
        chosen = f" --discipline {discipline}" if discipline else ""
        return f"precede simulate --world members --seeds 1 --from {self.seed}{chosen}"


@dataclass(slots=True)
class Summary:
    """What a sweep came to; chunks are summaries too, and are added up."""

    seeds: int = 0
    members: int = 0
    messages: int = 0
    deliveries: int = 0
    datagrams: int = 0
    copies: int = 0
    came_by_answer: int = 0
    digest: int = 0
    broken: Counter[str] = field(default_factory=Counter)
    failures: list[Failure] = field(default_factory=list)

    @property
    def ok(self) -> bool:
        """Whether no promise was broken."""
        return not self.broken

    @property
    def datagrams_per_delivery(self) -> float:
        """What a delivered message costs the network, joining and synchronisation included."""
        return self.datagrams / self.deliveries if self.deliveries else 0.0

    @property
    def copies_per_message_that_came_by_answer(self) -> float:
        """How often synchronisation says what somebody lacks."""
        return self.copies / self.came_by_answer if self.came_by_answer else 0.0

    def add(self, other: Summary) -> None:
        """Take a chunk in."""
        self.seeds += other.seeds
        self.members += other.members
        self.messages += other.messages
        self.deliveries += other.deliveries
        self.datagrams += other.datagrams
        self.copies += other.copies
        self.came_by_answer += other.came_by_answer
        self.digest = (self.digest + other.digest) % (1 << 64)
        self.broken += other.broken
        self.failures = sorted(self.failures + other.failures)[:MOST_FAILURES_KEPT]

    def line(self) -> str:
        """The one line that a person reads."""
        counts = "  ".join(f"{checker} {self.broken[checker]:,}" for checker in NAMES)
        return (
            f"{self.seeds:,} populations  {self.members:,} members  {self.messages:,} messages  "
            f"{self.deliveries:,} deliveries  {counts}  "
            f"{self.datagrams_per_delivery:.2f} datagrams per delivery  "
            f"{self.copies_per_message_that_came_by_answer:.2f} copies per message that came late"
        )

    def as_result(self, *, first: int, took_s: float) -> dict[str, Any]:
        """The sweep as one JSON object."""
        return {
            "ok": self.ok,
            "world": "members",
            "seeds": self.seeds,
            "first_seed": first,
            "members": self.members,
            "messages": self.messages,
            "deliveries": self.deliveries,
            "datagrams_per_delivery": round(self.datagrams_per_delivery, 3),
            "copies_per_message_that_came_by_answer": round(
                self.copies_per_message_that_came_by_answer, 3
            ),
            "digest": f"{self.digest:016x}",
            "took_s": round(took_s, 1),
            "broken": {checker: self.broken[checker] for checker in NAMES},
            "failures": [failure._asdict() for failure in self.failures],
        }


def run_chunk(first: int, *, count: int, discipline: str | None = None) -> Summary:
    """Run some seeds in this process. Called in a worker."""
    summary = Summary()
    for seed in range(first, first + count):
        outcome = run_population(seed, discipline=discipline)
        one = Summary(
            seeds=1,
            members=outcome.members,
            messages=outcome.messages,
            deliveries=outcome.deliveries,
            datagrams=outcome.datagrams,
            copies=outcome.copies,
            came_by_answer=outcome.came_by_answer,
            digest=outcome.digest,
        )
        if outcome.broken:
            checkers = tuple(dict.fromkeys(broken.checker for broken in outcome.broken))
            one.broken.update(checkers)
            one.failures.append(Failure(seed, checkers, str(outcome.broken[0])))
        summary.add(one)
    return summary


def sweep(
    seeds: int, *, first: int = 0, discipline: str | None = None, workers: int | None = None
) -> Iterator[Summary]:
    """Run `seeds` populations from seed `first` on; yields each chunk's summary as it is done."""
    run = partial(run_chunk, discipline=discipline)
    return deal_out(run, seeds, first=first, per_chunk=SEEDS_PER_CHUNK, workers=workers)
