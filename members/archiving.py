"""Archiving: asking the service for what no other member has, and taking its pages.

A member asks here when it has asked the others in vain: a newcomer that found nobody, or a gap that
nobody fills (`Unanswered`). A newcomer that wants everything asks once more when the others have
given what they have: for what all of them have forgotten. It says what it has as runs, and what it
wants. The service answers in
pages, in the order of delivery. Steps, for one group:

 1. Ask; again, after twice the time, if nothing comes. After several requests in vain it rests
    until something is unanswered again.
 2. Take a page if it answers the newest request, and of it what stands behind the last position
    that was taken: a page that comes twice brings nothing twice.
 3. After the last page: if something remained and anything came, ask again with what is had by now;
    else it is done (`ArchiveRead`).

Each message is read as if it had come by multicast, tag and all: the service can withhold, and
nothing else.
"""

from random import Random
from typing import Final

from ingest.wire.archive import Page, decode_page
from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.errors import WireError
from ingest.wire.holdings import holdings_of
from ingest.wire.synchronisation import Request, Wanted, encode_synchronisation
from members.asking import ALL, JoinPolicy
from members.events import ArchiveRead, Effects, MemberEvent, Synchronised, Unanswered
from members.limits import MemberLimits, Pace
from members.membership import Membership
from members.refusals import Refusal
from members.routing import GroupManager
from ordering import runs as run
from ordering.runs import Runs
from ordering.values import GroupId, MemberId

HOLDINGS_BYTES: Final = 128 * 1024
"""What is had, in one request: the same bound as the wire's own 8,192 ends of runs."""


class Wish:
    """What a member wants from the archive for one group, until it has it."""

    __slots__ = ("asks", "count", "last_position", "maybe_policy", "missing", "next_at", "seq")

    def __init__(self, *, now: int) -> None:
        self.maybe_policy: JoinPolicy | None = None
        """a newcomer's wish; None if only `missing` is wanted"""
        self.missing: dict[MemberId, Runs] = {}
        self.next_at = now
        self.asks = 0
        self.seq = 0
        """of the newest request; only its answer is taken"""
        self.last_position = 0
        self.count = 0
        """messages that came so far"""


class Archiving:
    """One member's requests to the service, in all its groups. No socket, no clock: see `Host`."""

    def __init__(
        self,
        manager: GroupManager,
        *,
        seed: int = 0,
        limits: MemberLimits | None = None,
        pace: Pace | None = None,
    ) -> None:
        self._manager = manager
        self._limits = limits or MemberLimits()
        self._pace = pace or Pace()
        self._rng = Random(seed)
        self._wishes: dict[GroupId, Wish] = {}
        self._asked: dict[GroupId, MemberId] = {}
        """groups for which everything was asked for, and under which pid"""
        self._seq = 0

    def hear(self, events: list[MemberEvent], *, now: int) -> None:
        """Look at what the manager told, and begin to ask for what nobody gave."""
        for event in events:
            if isinstance(event, Unanswered):
                self._begin(event, now=now)
            elif isinstance(event, Synchronised):
                self._make_sure(event.group, now=now)

    def ask(self, group: str, policy: JoinPolicy, *, now: int) -> None:
        """Ask for what a policy wants, though nothing is known to be missing."""
        wish = self._wishes.setdefault(GroupId(group), Wish(now=now))
        is_under_way = 0 < wish.asks < self._pace.archive_asks and wish.maybe_policy == policy
        if not is_under_way:  # else a new request would make the answer to the old one worthless
            wish.maybe_policy, wish.asks, wish.next_at = policy, 0, now

    def _make_sure(self, group: GroupId, *, now: int) -> None:
        """Ask once for what all others may have forgotten, if everything is wanted."""
        membership = self._manager.memberships.get(group)
        if membership is None or self._asked.get(group) == membership.pid:
            return
        self._asked[group] = membership.pid
        if membership.asking.maybe_policy == ALL and group not in self._wishes:
            self.ask(group, ALL, now=now)

    def _begin(self, unanswered: Unanswered, *, now: int) -> None:
        membership = self._manager.memberships.get(unanswered.group)
        if membership is None:
            return
        wish = self._wishes.get(unanswered.group)
        if wish is None:
            wish = self._wishes[unanswered.group] = Wish(now=now)
        elif wish.asks >= self._pace.archive_asks:
            wish.asks, wish.next_at = 0, now
        for member, runs in unanswered.missing:
            wish.missing[member] = run.union(wish.missing.get(member, []), list(runs))
        if membership.asking.maybe_alone is not None:
            wish.maybe_policy = membership.asking.maybe_alone
            self._asked[unanswered.group] = membership.pid

    # What is due.

    def next_deadline(self) -> int | None:
        """Say when the next request is due."""
        most = self._pace.archive_asks
        due = [wish.next_at for wish in self._wishes.values() if wish.asks < most]
        return min(due, default=None)

    def due(self, *, now: int) -> list[bytes]:
        """Give the requests that are due, to be sent to the service."""
        requests = []
        for group, wish in list(self._wishes.items()):
            if wish.next_at > now or wish.asks >= self._pace.archive_asks:
                continue
            membership = self._manager.memberships.get(group)
            maybe_request = None if membership is None else _request(wish, membership)
            if membership is None or maybe_request is None:
                del self._wishes[group]
                continue
            wish.asks += 1
            wait_us = self._pace.archive_again_us << (wish.asks - 1)
            wish.next_at = now + wait_us + self._rng.randrange(wait_us // 2 + 1)
            requests.append(self._written(wish, membership, maybe_request, now=now))
        return requests

    def _written(self, wish: Wish, membership: Membership, request: Request, *, now: int) -> bytes:
        """Write a request. Its seq follows the clock, so that a restarted member's is newer."""
        self._seq = wish.seq = max(self._seq + 1, now)
        wish.last_position = 0
        return encode(
            Envelope(
                Kind.SYNCHRONISATION,
                membership.group.group,
                membership.pid,
                wish.seq,
                payload=encode_synchronisation(request),
                sent_at=now,
            )
        )

    # What comes.

    def receive(self, value: bytes, *, now: int) -> Effects:
        """Take a page, whatever it is."""
        refused = self._manager.refused
        try:
            page = decode_page(value)
        except WireError as error:
            refused[error.reason.value] += 1
            return Effects()
        group = GroupId(page.group)
        wish = self._wishes.get(group)
        membership = self._manager.memberships.get(group)
        if membership is None or wish is None:
            refused[Refusal.NOT_ASKED] += 1
            return Effects()
        if page.requester != membership.pid or page.request_seq != wish.seq:
            refused[Refusal.NOT_ASKED] += 1
            return Effects()
        return self._take(page, wish, membership, now=now)

    def _take(self, page: Page, wish: Wish, membership: Membership, *, now: int) -> Effects:
        fresh = [
            message
            for position, message in zip(page.positions, page.messages, strict=True)
            if position > wish.last_position
        ]
        if page.positions:
            wish.last_position = max(wish.last_position, page.positions[-1])
        if page.number == 1 and page.is_whole and not page.problem:
            membership.asking.on_archive(page.have, now=now)
        had = membership.store.count + membership.store.evicted
        out = self._manager.take(membership.group.group, fresh, now=now)
        came = membership.store.count + membership.store.evicted - had
        wish.count += came
        if not page.is_last:
            wish.next_at = now + self._pace.archive_again_us
        elif page.remaining and (came or page.messages):
            wish.asks, wish.next_at = 0, now
        elif not page.problem:
            self._end(wish, membership, out=out)
        else:
            out.events.append(ArchiveRead(membership.group.group, wish.count, page.problem))
        return out

    def _end(self, wish: Wish, membership: Membership, *, out: Effects) -> None:
        del self._wishes[membership.group.group]
        out.events.append(ArchiveRead(membership.group.group, wish.count))


def _request(wish: Wish, membership: Membership) -> Request | None:
    """What to ask for now; None if all of it has come meanwhile."""
    held = holdings_of(membership.holdings.had.items(), most_bytes=HOLDINGS_BYTES)
    is_whole = len(held) == len(membership.holdings.had)
    policy = wish.maybe_policy
    if policy is not None:
        return Request(
            held,
            policy.wanted,
            last=policy.last,
            maybe_thread=policy.maybe_thread,
            is_whole=is_whole,
        )
    had = membership.holdings.had
    left = {
        member: run.subtract(runs, had.get(member, [])) for member, runs in wish.missing.items()
    }
    wish.missing = {member: runs for member, runs in left.items() if runs}
    if not wish.missing:
        return None
    exactly = holdings_of(wish.missing.items(), most_bytes=HOLDINGS_BYTES)
    return Request(held, Wanted.EXACTLY, exactly=exactly, is_whole=is_whole)
