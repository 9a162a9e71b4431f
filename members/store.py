"""The store: the datagrams of a group that a member keeps, so that it can answer others.

It holds its own messages and everybody else's, so that what one member lost comes from whoever is
nearest, and what a member sent before it died is not lost. It is bounded in messages and in bytes.
When it is full the oldest message goes of whoever has the most in it, so that a flood pushes out
nobody's messages but its own.
"""

from collections.abc import Iterable

from ingest.wire.holdings import Holding
from members.limits import MemberLimits
from ordering import runs as run
from ordering.runs import Runs
from ordering.values import MemberId, MessageId


class Kept:
    """One kept message."""

    __slots__ = ("datagram", "number", "parents")

    def __init__(self, datagram: bytes, *, parents: tuple[MessageId, ...], number: int) -> None:
        self.datagram = datagram
        self.parents = parents
        self.number = number
        """its place in the order in which the messages came"""


class Store:
    """The messages of one group."""

    def __init__(self, limits: MemberLimits) -> None:
        self._most = limits.store_messages
        self._most_bytes = limits.store_bytes
        self._kept: dict[MemberId, dict[int, Kept]] = {}
        self._runs: dict[MemberId, Runs] = {}
        self._numbered = 0
        self.count = 0
        self.bytes = 0
        self.evicted = 0

    def add(self, message_id: MessageId, datagram: bytes, parents: tuple[MessageId, ...]) -> None:
        """Keep a message that was not kept before."""
        sender, seq = message_id
        self._numbered += 1
        kept = self._kept.setdefault(sender, {})
        kept[seq] = Kept(datagram, parents=parents, number=self._numbered)
        run.add_range(self._runs.setdefault(sender, []), seq, seq)
        self.count += 1
        self.bytes += len(datagram)
        while self.count > self._most or self.bytes > self._most_bytes:
            self._evict(sender)

    def _evict(self, newest: MemberId) -> None:
        sender = newest
        if len(self._kept[newest]) * len(self._kept) <= self.count:
            sender = max(self._kept, key=lambda one: (len(self._kept[one]), one))
        kept = self._kept[sender]
        seq = next(iter(kept))
        gone = kept.pop(seq)
        run.remove(self._runs[sender], seq)
        if not kept:
            del self._kept[sender], self._runs[sender]
        self.count -= 1
        self.bytes -= len(gone.datagram)
        self.evicted += 1

    def get(self, message_id: MessageId) -> bytes | None:
        """Give the bytes of a message, if they are kept."""
        kept = self._kept.get(message_id.sender, {}).get(message_id.seq)
        return None if kept is None else kept.datagram

    def beyond(self, have: Iterable[Holding], *, is_whole: bool) -> list[MessageId]:
        """Give the ids that somebody who has this lacks, in the order in which they came here.

        Of a member whose list is not open nothing is said beyond its last run.
        """
        told = {holding.member: holding for holding in have}
        found: list[MessageId] = []
        for sender, runs in self._runs.items():
            theirs = told.get(sender)
            if theirs is not None:
                lacking = run.subtract(runs, list(theirs.runs))
                if not theirs.is_open:
                    lacking = _up_to(lacking, theirs.runs[-1]) if theirs.runs else []
                found += _ids(sender, lacking)
            elif is_whole:
                found += _ids(sender, runs)
        return self._in_order(found)

    def among(self, wanted: Iterable[tuple[MemberId, Runs]]) -> list[MessageId]:
        """Give the ids among these that are kept, in the order in which they came here."""
        found: list[MessageId] = []
        for sender, runs in wanted:
            kept = self._runs.get(sender, [])
            found += _ids(sender, run.subtract(kept, run.subtract(kept, list(runs))))
        return self._in_order(found)

    def last(self, count: int) -> list[MessageId]:
        """Give the ids of the messages that came last."""
        ids = [MessageId(sender, seq) for sender, kept in self._kept.items() for seq in kept]
        return self._in_order(ids)[-count:] if count else []

    def thread(self, root: MessageId) -> list[MessageId]:
        """Give the ids of a message, of what it answers, and of all that answers it."""
        ids = self.last(self.count)
        below = {root}
        # A child may have come before its parent, so the way down is walked until nothing is new.
        grew = True
        while grew:
            fresh = {one for one in ids if one not in below and below.intersection(self._up(one))}
            below |= fresh
            grew = bool(fresh)
        above = list(self._up(root))
        wanted = set(below)
        while above:
            one = above.pop()
            if one not in wanted:
                wanted.add(one)
                above += self._up(one)
        return [one for one in ids if one in wanted]

    def _up(self, message_id: MessageId) -> tuple[MessageId, ...]:
        kept = self._kept.get(message_id.sender, {}).get(message_id.seq)
        return () if kept is None else kept.parents

    def _in_order(self, ids: list[MessageId]) -> list[MessageId]:
        return sorted(ids, key=lambda one: self._kept[one.sender][one.seq].number)


def _ids(sender: MemberId, runs: Runs) -> list[MessageId]:
    return [MessageId(sender, seq) for low, high in run.pairs(runs) for seq in range(low, high + 1)]


def _up_to(runs: Runs, last: int) -> Runs:
    return run.subtract(runs, [last + 1, runs[-1]]) if runs and runs[-1] > last else runs
