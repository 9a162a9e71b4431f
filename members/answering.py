"""Answering: giving others what they lack, and not giving what another gives already.

On a request a member works out what the requester lacks and it has (the papers' repository), waits
a random time, and drops from it whatever others answer meanwhile. What is left goes out in pages, a
few at a time. Steps, for one request:

 1. A request older than the newest of its sender is dropped; the same one again only removes what
    its sender has by now.
 2. Until the repository is due: every message that anybody multicasts leaves it. It does not
    even enter if that was only a moment ago: the requester has heard it too, or will ask again.
 3. When it is due: what is told about the whole (`have`), then pages in the order in which the
    messages came here, so that parents come first: one at first, then twice as many each turn.
 4. Whoever hears another's answer to the same request lets that one go on, and looks again later:
    if it dies, another goes on where it stopped.

A response may come before its request. Its messages were on the air, so the request that comes
later is answered with the rest.
"""

from collections import OrderedDict
from random import Random

from ingest.wire.holdings import Holding, holdings_of
from ingest.wire.synchronisation import (
    MESSAGES_PER_PAGE,
    PER_MESSAGE_BYTES,
    Have,
    Request,
    Response,
    SynchronisationBody,
    Wanted,
)
from members.holdings import Holdings
from members.limits import MemberLimits, Pace
from members.quota import Bucket
from members.refusals import Refusal
from members.store import Store
from ordering import runs as run
from ordering.values import MemberId, MessageId


class Repository:
    """What one requester lacks and this member has."""

    __slots__ = ("chosen", "due_at", "ids", "is_have_due", "left", "pages_next", "request_seq")

    def __init__(self, request_seq: int, ids: list[MessageId], *, due_at: int) -> None:
        self.request_seq = request_seq
        self.ids = OrderedDict.fromkeys(ids)
        self.due_at = due_at
        self.is_have_due = False
        self.pages_next = 1
        """how many pages its next turn may have: few at first, while others may answer as well"""
        self.chosen: tuple[Holding, ...] = ()
        self.left = len(ids)
        """how many messages the requester wants at most"""


class Answering:
    """One group's answers."""

    def __init__(
        self,
        store: Store,
        holdings: Holdings,
        *,
        rng: Random,
        limits: MemberLimits,
        pace: Pace,
    ) -> None:
        self._store = store
        self._holdings = holdings
        self._rng = rng
        self._limits = limits
        self._pace = pace
        self._newest: dict[MemberId, int] = {}
        self._pending: dict[MemberId, Repository] = {}
        self._recent: OrderedDict[MessageId, int] = OrderedDict()
        self._maybe_bucket: Bucket | None = None
        self.answered = 0
        """messages that this member gave in answers"""

    def on_request(
        self, requester: MemberId, request_seq: int, request: Request, *, now: int
    ) -> Refusal | None:
        """Take in a request; give why it is refused, if it is."""
        newest = self._newest.get(requester, 0)
        if request_seq < newest:
            return Refusal.STALE_REQUEST
        if request_seq == newest:
            self._reduce(requester, request)
            return None
        if requester not in self._newest and len(self._newest) >= self._limits.members_per_group:
            return Refusal.REQUESTERS_FULL
        if requester not in self._pending and len(self._pending) >= self._limits.requesters:
            return Refusal.REQUESTERS_FULL
        self._newest[requester] = request_seq
        lacking = self._lacking(request)
        ids = [one for one in lacking if not self._is_recent(one, now=now)]
        wait_us = self._rng.randrange(self._pace.answer_within_us)
        repository = Repository(request_seq, ids, due_at=now + wait_us)
        if request.wanted is Wanted.LAST:
            repository.left = request.last
        repository.is_have_due = request.wanted is not Wanted.EXACTLY
        if request.wanted in (Wanted.LAST, Wanted.THREAD):
            repository.chosen = self._written(lacking)
        if ids or repository.is_have_due:
            self._pending[requester] = repository
        else:
            self._pending.pop(requester, None)
        return None

    def _lacking(self, request: Request) -> list[MessageId]:
        store = self._store
        if request.wanted is Wanted.NOTHING:
            return []
        if request.wanted is Wanted.EXACTLY:
            return store.among((MemberId(one.member), list(one.runs)) for one in request.exactly)
        beyond = store.beyond(request.have, is_whole=request.is_whole)
        if request.wanted is Wanted.EVERYTHING:
            return beyond
        if request.wanted is Wanted.LAST:
            chosen = set(store.last(request.last))
        else:
            sender, seq = request.maybe_thread or ("", 0)
            chosen = set(store.thread(MessageId(MemberId(sender), seq)))
        return [one for one in beyond if one in chosen]

    def _written(self, ids: list[MessageId]) -> tuple[Holding, ...]:
        seqs: dict[MemberId, list[int]] = {}
        for sender, seq in ids:
            seqs.setdefault(sender, []).append(seq)
        held = ((sender, run.from_numbers(numbers)) for sender, numbers in seqs.items())
        return holdings_of(held, most_bytes=self._limits.telling_bytes)

    def _reduce(self, requester: MemberId, request: Request) -> None:
        repository = self._pending.get(requester)
        if repository is not None:
            have = {one.member: list(one.runs) for one in request.have}
            for one in list(repository.ids):
                if run.contains(have.get(one.sender, []), one.seq):
                    del repository.ids[one]

    def _is_recent(self, message_id: MessageId, *, now: int) -> bool:
        answered_at = self._recent.get(message_id)
        return answered_at is not None and now - answered_at < self._pace.answer_within_us

    def on_air(self, message_id: MessageId, *, now: int) -> None:
        """Note that a message was just multicast, by its sender or in an answer.

        Whoever can hear it has it by now or in a moment, so it need not be given again so soon.
        """
        self._recent[message_id] = now
        self._recent.move_to_end(message_id)
        while len(self._recent) > self._limits.recent_answers:
            self._recent.popitem(last=False)
        for repository in self._pending.values():
            repository.ids.pop(message_id, None)

    def on_response(self, response: Response, *, now: int) -> None:
        """Let another go on who answers the same request. Called after `on_air` for each."""
        repository = self._pending.get(MemberId(response.requester))
        if repository is None or repository.request_seq != response.request_seq:
            return
        repository.left -= len(response.messages)
        if repository.left <= 0:
            repository.ids.clear()
        repository.pages_next = 1
        wait_us = self._rng.randrange(self._pace.answer_within_us)
        repository.due_at = max(repository.due_at, now + self._pace.turn_every_us + wait_us)

    def on_have(self, have: Have, *, covers_ours: bool) -> None:
        """Tell no requester what another has told it."""
        repository = self._pending.get(MemberId(have.maybe_requester or ""))
        if repository is not None and repository.request_seq == have.request_seq and covers_ours:
            repository.is_have_due = False

    def next_deadline(self) -> int | None:
        """Say when the next answer is due."""
        if not self._pending:
            return None
        return min((one.due_at for one in self._pending.values()), default=None)

    def due(self, *, now: int, members_digest: int) -> list[SynchronisationBody]:
        """Give the answers that go out by now."""
        bodies: list[SynchronisationBody] = []
        for requester, repository in list(self._pending.items()):
            if repository.due_at > now:
                continue
            if repository.is_have_due:
                repository.is_have_due = False
                told, is_whole = self._holdings.told(most_bytes=self._limits.telling_bytes)
                seq, chosen = repository.request_seq, repository.chosen
                bodies.append(Have(told, members_digest, requester, seq, is_whole, chosen))
            bodies += self._pages(requester, repository, now=now)
            if not repository.ids:
                del self._pending[requester]
            else:
                repository.due_at = now + self._pace.turn_every_us
        return bodies

    def _pages(self, requester: MemberId, repository: Repository, *, now: int) -> list[Response]:
        pages: list[Response] = []
        while repository.ids:
            if len(pages) == repository.pages_next or not self._may_send(now=now):
                break
            messages = self._page(repository, now=now)
            remaining = len(repository.ids)
            if messages:
                pages.append(Response(requester, repository.request_seq, remaining, messages))
        repository.pages_next = min(2 * repository.pages_next, self._pace.pages_per_turn)
        return pages

    def _page(self, repository: Repository, *, now: int) -> tuple[bytes, ...]:
        """Take as many messages from a repository as fit one page; a long one goes alone."""
        messages: list[bytes] = []
        room = self._limits.page_bytes
        while repository.ids and len(messages) < MESSAGES_PER_PAGE:
            message_id = next(iter(repository.ids))
            datagram = self._store.get(message_id)
            if datagram is not None:
                room -= len(datagram) + PER_MESSAGE_BYTES
                if room < 0 and messages:
                    break
                messages.append(datagram)
            self.on_air(message_id, now=now)
        self.answered += len(messages)
        return tuple(messages)

    def _may_send(self, *, now: int) -> bool:
        if self._maybe_bucket is None:
            rate = self._limits.answer_pages_per_second
            self._maybe_bucket = Bucket(per_second=rate, burst=max(1, rate // 10), now=now)
        return self._maybe_bucket.take(now=now)

    @property
    def requests_pending(self) -> int:
        """How many requests are being answered."""
        return len(self._pending)


def covers(theirs: tuple[Holding, ...], *, is_whole: bool, ours: Holdings) -> bool:
    """Tell whether somebody who has this has all that is had here."""
    return is_whole and not ours.has_more_than(theirs, is_whole=is_whole)
