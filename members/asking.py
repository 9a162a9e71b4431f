"""Asking: finding out what is lacking, and asking for exactly that.

Two things are asked for:

- *On joining*, what the policy says: `all`, the `last n`, a `thread`, or nothing (`now`). It is
  asked until somebody has told what there is, and which of that the policy chooses; what does not
  come by itself is asked for like any other gap.
- *Later*, whatever stays away: a seq that was skipped, a message that others say to have, one that
  a held message waits for. A gap that stays open for a moment is asked for, run by run, never the
  whole history; again after twice the time, and after several requests it is told as unanswered
  and rests until somebody says to have it.

Whoever hears another ask for the same waits for that answer: it is multicast.
"""

from collections.abc import Callable
from enum import Enum
from random import Random
from typing import NamedTuple

from ingest.wire.holdings import Holding, holdings_of
from ingest.wire.synchronisation import Have, Request, Response, Wanted
from members.holdings import Holdings
from members.limits import MemberLimits, Pace
from ordering import runs as run
from ordering.runs import Runs
from ordering.values import MemberId, MessageId


class JoinPolicy(NamedTuple):
    """What a newcomer wants of what was said before. Made by `ALL`, `NOW`, `last`, `thread`."""

    wanted: Wanted
    last: int = 0
    maybe_thread: MessageId | None = None


ALL = JoinPolicy(Wanted.EVERYTHING)
NOW = JoinPolicy(Wanted.NOTHING)


def last(count: int) -> JoinPolicy:
    """Want the last `count` messages that whoever answers has received."""
    return JoinPolicy(Wanted.LAST, last=count)


def thread(root: MessageId) -> JoinPolicy:
    """Want one message, what it answers, and all that answers it."""
    return JoinPolicy(Wanted.THREAD, maybe_thread=root)


class Outcome(Enum):
    """What a pass over the gaps came to, for the program."""

    NOTHING = "nothing"
    SYNCHRONISED = "synchronised"
    ALONE = "alone"
    """a newcomer asked, and nobody answered"""


class Open:
    """A member of whom something is lacking."""

    __slots__ = ("asks", "is_told", "lacking", "next_at")

    def __init__(self, next_at: int) -> None:
        self.next_at: int | None = next_at
        """when it is asked for next; None while it rests"""
        self.asks = 0
        self.lacking: Runs = []
        self.is_told = False


class Joining:
    """The request of a newcomer, until it is answered."""

    __slots__ = ("asks", "has_have", "next_at", "policy")

    def __init__(self, policy: JoinPolicy, *, now: int) -> None:
        self.policy = policy
        self.asks = 0
        self.next_at = now
        self.has_have = False


class Asked(NamedTuple):
    """What is due: requests to be sent, gaps to be told, gaps that nobody fills."""

    requests: list[Request]
    gaps: dict[MemberId, Runs]
    unanswered: dict[MemberId, Runs]
    outcome: Outcome


class Asking:
    """One group's requests."""

    def __init__(
        self, holdings: Holdings, *, rng: Random, limits: MemberLimits, pace: Pace
    ) -> None:
        self._holdings = holdings
        self._rng = rng
        self._limits = limits
        self._pace = pace
        self._open: dict[MemberId, Open] = {}
        self._maybe_joining: Joining | None = None
        self._is_baseline_due = False
        self._was_open = False
        self._is_alone = False
        self.maybe_policy: JoinPolicy | None = None
        """what was wanted on joining; None for who created the group"""
        self.maybe_alone: JoinPolicy | None = None
        """what a newcomer wants that asked and found nobody"""
        self._maybe_look_at: int | None = None
        """when to see whether nothing is open any more, though nothing is due"""
        self._request_seq = 0

    # What the membership tells.

    def join(self, policy: JoinPolicy, *, now: int) -> None:
        """Begin to ask for what a newcomer wants."""
        self._maybe_joining = Joining(policy, now=now)
        self.maybe_policy = policy
        self._is_baseline_due = policy.wanted is not Wanted.EVERYTHING
        self._was_open = True

    def open(self, pid: MemberId, *, now: int) -> None:
        """Note that something of a member is lacking, or may be."""
        known = self._open.get(pid)
        if known is None:
            if len(self._open) < self._limits.members_per_group:
                self._open[pid] = Open(now + self._pace.ask_after_us)
        elif known.next_at is None:
            # It rests because nobody answered; now there is news of it, so it is asked for again.
            known.asks = self._pace.asks - 1
            known.next_at = now + self._jittered(self._pace.ask_again_us)

    def on_received(self, pid: MemberId, *, now: int) -> None:
        """Note that a message of a member came. Called for every message."""
        if self._holdings.is_whole(pid):
            if pid in self._open:
                self._open[pid].next_at = now
        elif pid not in self._open:
            self.open(pid, now=now)

    def on_request(self, request: Request, *, now: int) -> None:
        """Wait for the answer to another's request where it asks for all that is lacking here."""
        asked = {MemberId(one.member): list(one.runs) for one in request.exactly}
        for pid, opened in self._open.items():
            if pid in asked and opened.next_at is not None:
                lacking = self._holdings.lacking_of(pid)
                if lacking and not run.subtract(lacking, asked[pid]):
                    wait_us = self._jittered(self._pace.ask_again_us)
                    opened.next_at = max(opened.next_at, now + wait_us)

    def on_response(self, response: Response, *, requested_here: bool, now: int) -> None:
        """Note how far an answer to the own request has come."""
        joining = self._maybe_joining
        if joining is None or not requested_here or response.request_seq != self._request_seq:
            return
        joining.next_at = now + self._settle_us()

    def on_page(self, response: Response, *, now: int) -> None:
        """Ask for nothing while somebody is still giving; everybody hears every page."""
        if response.remaining:
            for opened in self._open.values():
                if opened.next_at is not None:
                    opened.next_at = max(opened.next_at, now + self._settle_us())

    def on_have(self, have: Have, *, requested_here: bool, now: int) -> bool:
        """Take in what somebody has; tell whether all of it had room."""
        joining = self._maybe_joining
        answers = requested_here and have.request_seq == self._request_seq
        if self._is_baseline_due and (answers or joining is None):
            self._holdings.settle(have.have)
            if joining is None:
                self._is_baseline_due = False
        if self._is_alone:
            self._is_alone = False
            self.maybe_alone = None
            self._maybe_look_at = now + self._settle_us()
        if answers:
            self._holdings.want(have.chosen)
        lacking, has_room = self._holdings.hear(have.have)
        if joining is not None and answers:
            joining.has_have = True
            joining.next_at = now + self._settle_us()
        for pid in lacking:
            self.open(pid, now=now)
        return has_room

    def on_archive(self, have: tuple[Holding, ...], *, now: int) -> None:
        """Take in what the service has, which gives what a newcomer wants of it by itself."""
        if self._is_baseline_due and self._maybe_joining is None:
            self._holdings.settle(have)
            self._is_baseline_due = False
        self._is_alone = False
        self.maybe_alone = None
        self._maybe_look_at = now + self._settle_us()

    # What is due.

    def next_deadline(self) -> int | None:
        """Say when the next request is due."""
        if not self._open and self._maybe_joining is None and self._maybe_look_at is None:
            return None
        deadlines = [one.next_at for one in self._open.values() if one.next_at is not None]
        if self._maybe_joining is not None:
            # Gaps rest until it is known what is wanted at all.
            if self._is_baseline_due:
                return self._maybe_joining.next_at
            deadlines.append(self._maybe_joining.next_at)
        if self._maybe_look_at is not None:
            deadlines.append(self._maybe_look_at)
        return min(deadlines, default=None)

    def due(self, needed: Callable[[], dict[MemberId, Runs]], *, now: int) -> Asked:
        """Give what is due. `needed` gives what held messages wait for, wanted or not."""
        asked = Asked([], {}, {}, Outcome.NOTHING)
        maybe_deadline = self.next_deadline()
        if maybe_deadline is None or maybe_deadline > now:
            return asked
        if self._maybe_look_at is not None and self._maybe_look_at <= now:
            self._maybe_look_at = None
        joining = self._maybe_joining
        if joining is not None and joining.next_at <= now:
            self._go_on_joining(joining, asked, now=now)
            if self._is_alone:
                return asked._replace(outcome=Outcome.ALONE)
        if self._maybe_joining is None or not self._is_baseline_due:
            self._ask_for_gaps(needed(), asked, now=now)
        if self._was_open and self._maybe_joining is None and not self._open:
            self._was_open = False
            return asked._replace(outcome=Outcome.SYNCHRONISED)
        return asked

    def next_seq(self) -> int:
        """Count one more request."""
        self._request_seq += 1
        return self._request_seq

    @property
    def is_joining(self) -> bool:
        """Tell whether the request of a newcomer is still unanswered."""
        return self._maybe_joining is not None

    def _go_on_joining(self, joining: Joining, asked: Asked, *, now: int) -> None:
        """Ask, ask again, or see that it is answered."""
        if joining.has_have:
            self._end_joining()
            return
        if joining.asks >= self._pace.asks:
            # Nobody is there, or nobody can say. Whoever comes will tell what it has.
            self._maybe_joining = None
            self._is_alone = True
            self.maybe_alone = joining.policy
            return
        joining.asks += 1
        joining.next_at = now + self._again_us(joining.asks)
        have, is_whole = self._holdings.told(most_bytes=self._limits.telling_bytes)
        asked.requests.append(
            Request(
                have,
                joining.policy.wanted,
                last=joining.policy.last,
                maybe_thread=joining.policy.maybe_thread,
                is_whole=is_whole,
            )
        )

    def _end_joining(self) -> None:
        self._maybe_joining = None
        if self._is_baseline_due:
            self._is_baseline_due = False
            self._holdings.settle_all()

    def _ask_for_gaps(self, needed: dict[MemberId, Runs], asked: Asked, *, now: int) -> None:
        """Ask for what is due, and along with it for whatever else is open by now."""
        for pid in needed:
            if pid not in self._open:
                self.open(pid, now=now)
        soon = now + self._pace.ask_after_us // 2
        wanted: dict[MemberId, Runs] = {}
        for pid, opened in list(self._open.items()):
            lacking = run.union(self._holdings.lacking_of(pid), needed.get(pid, []))
            if not lacking:
                del self._open[pid]
                continue
            if lacking != opened.lacking:
                opened.lacking = lacking
                opened.asks = 0
                opened.next_at = opened.next_at or now
            if opened.next_at is None or opened.next_at > soon:
                continue
            self._ask_for(pid, opened, asked, wanted, now=now)
        if wanted:
            self._was_open = True
            asked.requests.append(Request((), Wanted.EXACTLY, exactly=self._written(wanted)))

    def _ask_for(
        self,
        pid: MemberId,
        opened: Open,
        asked: Asked,
        wanted: dict[MemberId, Runs],
        *,
        now: int,
    ) -> None:
        if opened.asks >= self._pace.asks:
            opened.next_at = None
            asked.unanswered[pid] = opened.lacking
            return
        opened.asks += 1
        opened.next_at = now + self._again_us(opened.asks)
        wanted[pid] = opened.lacking
        if not opened.is_told:
            opened.is_told = True
            asked.gaps[pid] = opened.lacking

    def _written(self, wanted: dict[MemberId, Runs]) -> tuple[Holding, ...]:
        return holdings_of(wanted.items(), most_bytes=self._limits.telling_bytes)

    def _again_us(self, asks: int) -> int:
        waits_us = self._pace.ask_again_us << min(asks - 1, 30)
        return self._jittered(min(waits_us, self._pace.ask_longest_us))

    def _jittered(self, time_us: int) -> int:
        return time_us + self._rng.randrange(time_us // 2 + 1)

    def _settle_us(self) -> int:
        """How long to wait for another page or another's answer before looking again."""
        return 2 * (self._pace.answer_within_us + self._pace.turn_every_us)
