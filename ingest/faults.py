"""What a bad network does to a stream of datagrams, drawn from a seed: values in, values out.

For each datagram that comes in:

 1. It is lost with the chance `loss`. A lost datagram is sent again `resend_after_us` later, as a
    sender that waits for an acknowledgement would; that one may be lost too, and so on. With
    `Loss.FOR_GOOD` nobody sends it again.
 2. With the chance `duplication` a second copy goes out.
 3. Each copy is delayed by a random time up to `jitter_us`, so that close neighbours change places.

    in    1    2    3    4             loss of 2, duplication of 3, jitter
    out      1    3  4    3      2

Every decision comes from one `random.Random(seed)`, in the order of arrival: the same datagrams in
the same order meet the same fate. Time is passed in; the relay (`ingest/relay.py`) is its host.
"""

import heapq
import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

MOST_WAITING: Final = 65_536
"""Datagrams that wait to go out: at 64 kB each that is 4 GB at the very worst, usually 10 MB.

Past it a datagram goes out at once, unshuffled: this tool makes order worse, it must not lose more
than it was told to.
"""

MOST_RESENDS: Final = 16
"""A sender gives up trying at some time; here the last try always arrives."""


class Loss(StrEnum):
    """What becomes of a lost datagram."""

    RESENT = "resent"
    FOR_GOOD = "for_good"


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """How bad the network is. Chances are from 0 to 1."""

    seed: int
    loss: float = 0.0
    duplication: float = 0.0
    jitter_us: int = 0
    resend_after_us: int = 200_000
    loss_is: Loss = Loss.RESENT

    def __post_init__(self) -> None:
        for name in ("loss", "duplication"):
            chance = getattr(self, name)
            if not 0 <= chance <= 1:
                raise ValueError(f"{name} is {chance}; a chance is from 0 to 1")
        for name in ("jitter_us", "resend_after_us"):
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it can't be below 0")


@dataclass(slots=True)
class FaultCounters:
    """What was done so far. `received + resent + duplicated == forwarded + lost + waiting`."""

    received: int = 0
    forwarded: int = 0
    lost: int = 0
    resent: int = 0
    duplicated: int = 0
    overtaken: int = 0
    hurried: int = 0


class FaultSchedule:
    """Takes datagrams in and says which ones are due. Pure: no clock, no socket."""

    def __init__(self, faults: Faults) -> None:
        self.counters = FaultCounters()
        self._faults = faults
        self._random = random.Random(faults.seed)
        self._waiting: list[tuple[int, int, bytes]] = []
        self._scheduled = 0
        self._latest_out = -1

    @property
    def waiting(self) -> int:
        """How many datagrams have not gone out yet."""
        return len(self._waiting)

    def receive(self, datagram: bytes, *, now: int) -> None:
        """Decide the fate of one datagram that arrived at `now` (microseconds)."""
        self.counters.received += 1
        maybe_delay_us = self._delay_by_loss()
        is_duplicated = self._random.random() < self._faults.duplication
        if maybe_delay_us is not None:
            self._schedule(datagram, due_at=now + maybe_delay_us + self._jitter())
        if is_duplicated:
            self.counters.duplicated += 1
            self._schedule(datagram, due_at=now + self._jitter())

    def due(self, *, now: int) -> list[bytes]:
        """Give the datagrams that go out by `now`, in their order."""
        out: list[bytes] = []
        while self._waiting and (self._waiting[0][0] <= now or len(self._waiting) > MOST_WAITING):
            self.counters.hurried += self._waiting[0][0] > now
            out.append(self._next())
        return out

    def rest(self) -> list[bytes]:
        """Give all that waits, in its order, whenever it is due. For the end."""
        return [self._next() for _ in range(len(self._waiting))]

    def next_deadline(self) -> int | None:
        """Say when `due` has something next, or None while nothing waits."""
        return self._waiting[0][0] if self._waiting else None

    def _delay_by_loss(self) -> int | None:
        """Give how long losses delay a datagram, or None if it is lost for good."""
        losses = 0
        while losses < MOST_RESENDS and self._random.random() < self._faults.loss:
            losses += 1
            self.counters.lost += 1
            if self._faults.loss_is is Loss.FOR_GOOD:
                return None
            self.counters.resent += 1
        return losses * self._faults.resend_after_us

    def _jitter(self) -> int:
        return self._random.randint(0, self._faults.jitter_us)

    def _next(self) -> bytes:
        _, number, datagram = heapq.heappop(self._waiting)
        self.counters.overtaken += number < self._latest_out
        self._latest_out = max(self._latest_out, number)
        self.counters.forwarded += 1
        return datagram

    def _schedule(self, datagram: bytes, *, due_at: int) -> None:
        heapq.heappush(self._waiting, (due_at, self._scheduled, datagram))
        self._scheduled += 1
