"""What a bad network does to a stream of datagrams, drawn from a seed: values in, values out.

For each datagram that comes in:

 1. It is lost with the chance `loss`, and always while the network is cut (`partition_...`). A lost
    datagram is sent again `resend_after_us` later, or after the cut, as a sender that waits for an
    acknowledgement would; that one may be lost too, and so on. With `Loss.FOR_GOOD` nobody sends it
    again.
 2. With the chance `corruption` one of its bits arrives turned over; who sends again also sends the
    right one, later.
 3. With the chance `duplication` a second copy goes out.
 4. Each copy is delayed by `delay_us`; by a random time up to `jitter_us`, so that close neighbours
    change places; and with the chance `reorder` by `reorder_by_us` more, so that those behind it
    overtake it.

    in    1    2    3    4             loss of 2, duplication of 3, jitter
    out      1    3  4    3      2

Every decision comes from `random.Random(seed)`, in the order of arrival: the same datagrams in the
same order meet the same fate, and cuts come at the same times. Time is passed in; the relay
(`ingest/relay.py`) is its host.
"""

import heapq
import random
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingest.partitions import Partitions

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


_CHANCES: Final = ("loss", "duplication", "corruption", "reorder")
_TIMES: Final = (
    "jitter_us", "resend_after_us", "delay_us", "reorder_by_us", "partition_every_us",
    "partition_for_us",
)  # fmt: skip


@dataclass(frozen=True, kw_only=True, slots=True)
class Faults:
    """How bad the network is. Chances are from 0 to 1."""

    seed: int
    loss: float = 0.0
    duplication: float = 0.0
    jitter_us: int = 0
    resend_after_us: int = 200_000
    loss_is: Loss = Loss.RESENT
    corruption: float = 0.0
    delay_us: int = 0
    reorder: float = 0.0
    reorder_by_us: int = 50_000
    partition_every_us: int = 10_000_000
    partition_for_us: int = 0
    """How long a cut of the network takes, about; 0 for none."""

    def __post_init__(self) -> None:
        for name in _CHANCES:
            chance = getattr(self, name)
            if not 0 <= chance <= 1:
                raise ValueError(f"{name} is {chance}; a chance is from 0 to 1")
        for name in _TIMES:
            if getattr(self, name) < 0:
                raise ValueError(f"{name} is {getattr(self, name)}; it can't be below 0")


@dataclass(slots=True)
class FaultCounters:
    """What was done so far. `received + resent + duplicated == forwarded + lost + waiting`."""

    received: int = 0
    forwarded: int = 0
    lost: int = 0
    cut_off: int = 0
    """How many of the lost ones met a cut of the network."""
    corrupted: int = 0
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
        self._partitions = Partitions(
            seed=faults.seed,
            every_us=faults.partition_every_us,
            for_us=faults.partition_for_us,
        )
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
        starts_at = now
        maybe_heals_at = self._partitions.cut_until(now)
        if maybe_heals_at is not None:
            self.counters.lost += 1
            self.counters.cut_off += 1
            if self._faults.loss_is is Loss.FOR_GOOD:
                return
            self.counters.resent += 1
            starts_at = maybe_heals_at + self._faults.resend_after_us
        maybe_delay_us = self._delay_by_loss()
        is_duplicated = self._random.random() < self._faults.duplication
        if maybe_delay_us is not None:
            self._send(datagram, at=starts_at + maybe_delay_us)
        if is_duplicated:
            self.counters.duplicated += 1
            self._schedule(datagram, due_at=starts_at + self._delay())

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

    def _send(self, datagram: bytes, *, at: int) -> None:
        """Send one that is not lost, perhaps damaged; then the right one comes later, if ever."""
        due_at = at + self._delay()
        if not self._is_drawn(self._faults.corruption) or not datagram:
            self._schedule(datagram, due_at=due_at)
            return
        self.counters.corrupted += 1
        self._schedule(self._damaged(datagram), due_at=due_at)
        if self._faults.loss_is is Loss.RESENT:
            self.counters.resent += 1
            self._schedule(datagram, due_at=due_at + self._faults.resend_after_us)

    def _damaged(self, datagram: bytes) -> bytes:
        damaged = bytearray(datagram)
        bit = self._random.randrange(len(damaged) * 8)
        damaged[bit // 8] ^= 1 << bit % 8
        return bytes(damaged)

    def _delay(self) -> int:
        delay_us = self._faults.delay_us + self._random.randint(0, self._faults.jitter_us)
        if self._is_drawn(self._faults.reorder):
            delay_us += self._faults.reorder_by_us
        return delay_us

    def _is_drawn(self, chance: float) -> bool:
        """Draw, but not for a fault that never happens: without it all else stays as it was."""
        return chance > 0 and self._random.random() < chance

    def _next(self) -> bytes:
        _, number, datagram = heapq.heappop(self._waiting)
        self.counters.overtaken += number < self._latest_out
        self._latest_out = max(self._latest_out, number)
        self.counters.forwarded += 1
        return datagram

    def _schedule(self, datagram: bytes, *, due_at: int) -> None:
        heapq.heappush(self._waiting, (due_at, self._scheduled, datagram))
        self._scheduled += 1
