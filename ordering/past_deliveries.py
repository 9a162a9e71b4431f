"""What a snapshot keeps of recent deliveries: ids and digests, packed so that they cost little.

A busy group takes a snapshot after every batch, so nothing here is taken apart unless an id comes
again. Positions follow one another without a gap, so only the last one is known; instants are
written once for all deliveries that were made at them.

    through 9    times [40, 2, 70, 1]    senders [0, 1, 0]    seqs [5, 2, 6]
    position 7: alice 5 at 40        8: bob 2 at 40        9: alice 6 at 70
"""

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any, NamedTuple, TypeAlias

from ordering.events import Delivered
from ordering.policy import Limits
from ordering.values import MemberId, MessageId

Flat: TypeAlias = tuple[int, str, int, bytes, int]
"""A delivery without an event: its position, sender, seq, content, and when it was made."""
Plain: TypeAlias = tuple[list[str], list[int], list[bytes], int, int]
"""Several of one instant: senders, seqs, contents, the last one's position, and when they were
made."""

DIGEST_BYTES = 8
"""Enough that nobody finds a second content with the digest of a given one within the window."""

# To copy one that is set up costs a third less than to set one up for each content.
_begin_digest = blake2b(digest_size=DIGEST_BYTES).copy


def digest(content: bytes) -> bytes:
    """Name a content the same way in every process."""
    begun = _begin_digest()
    begun.update(content)
    return begun.digest()


class Remembered(NamedTuple):
    """One delivery of which only the digest is known."""

    position: int
    delivered_at: int
    digest: bytes


class PastDeliveries:
    """The last deliveries up to a position, oldest first."""

    __slots__ = (
        "_digests",
        "_numbers",
        "_pids",
        "_places",
        "_senders",
        "_seqs",
        "_through",
        "_times",
    )

    def __init__(self) -> None:
        self._through = 0
        """the position of the newest"""
        self._pids: list[MemberId] = []
        """whom the numbers in `senders` mean"""
        self._numbers: dict[str, int] = {}
        """the number of each of them"""
        self._senders: list[int | str] = []
        """the sender of each: its number, or its pid if it is no member any more"""
        self._seqs: list[int] = []
        self._digests = b""
        self._times: list[int] = []
        """an instant, how many were delivered at it, the next instant, how many ..."""
        self._places: dict[tuple[int | str, int], int] | None = None
        """where each id is, once someone has asked"""

    def read(self, plain: Sequence[Any], *, pids: list[MemberId], through: int) -> None:
        """Take what `write` gave; `through` is the group's last position, `pids` its members."""
        times, senders, seqs, self._digests = plain
        self._times, self._senders, self._seqs = list(times), list(senders), list(seqs)
        self._through, self._places = through, None
        self._number(pids)

    def write(self) -> list[Any]:
        """Give plain values.

        They are copies. The lists themselves are altered and never replaced: lists made anew for
        every group in every batch would all be walked by the interpreter's collector.
        """
        return [self._times.copy(), self._senders.copy(), self._seqs.copy(), self._digests]

    def clear(self) -> None:
        """Forget everything."""
        self._times.clear()
        self._senders.clear()
        self._seqs.clear()
        self._digests = b""
        self._places = None

    def find(self, message_id: MessageId) -> Remembered | None:
        """Give the delivery of an id, if it is among them."""
        if not self._seqs:
            return None
        places = self._places
        if places is None:
            numbers = zip(self._senders, self._seqs, strict=True)
            places = self._places = dict(zip(numbers, range(len(self._seqs)), strict=True))
        pid, seq = message_id
        place = places.get((self._numbers.get(pid, pid), seq))
        if place is None:
            return None
        begin = place * DIGEST_BYTES
        position = self._through - len(self._seqs) + 1 + place
        return Remembered(position, self._at(place), self._digests[begin : begin + DIGEST_BYTES])

    def _at(self, place: int) -> int:
        """Give the instant of a delivery."""
        for at, count in zip(self._times[::2], self._times[1::2], strict=True):
            place -= count
            if place < 0:
                return at
        raise IndexError(place)

    def add(
        self, deliveries: Sequence[tuple[Sequence[Delivered], int]], *, pids: list[MemberId]
    ) -> None:
        """Take the next deliveries, by instant; `pids` are the members by their numbers now.

        Members keep their numbers as long as new ones come last, which is nearly always.
        """
        self._renumber(pids)
        messages = [one.message for batch, _ in deliveries for one in batch]
        if messages:
            ids, _, contents, *_ = zip(*messages, strict=True)
            senders, seqs = zip(*ids, strict=True)
            self._take((senders, seqs, contents))
        for batch, at in deliveries:
            if batch:
                self._note_time(at, len(batch))
                self._through = batch[-1].position

    def add_flat(self, deliveries: Sequence[Flat], *, pids: list[MemberId]) -> None:
        """Take the next deliveries, at least one, oldest first; the same as `add`."""
        self._renumber(pids)
        _, senders, seqs, contents, instants = zip(*deliveries, strict=True)
        self._take((senders, seqs, contents))
        if instants[0] == instants[-1]:  # time never goes back, so all are of one instant
            self._note_time(instants[0], len(instants))
        else:
            for at in instants:
                self._note_time(at, 1)
        self._through = deliveries[-1][0]

    def add_plain(self, deliveries: Sequence[Plain], *, pids: list[MemberId]) -> None:
        """Take the next deliveries, oldest first; the same as `add`."""
        self._renumber(pids)
        self._take(*deliveries)
        for _, seqs, _, through, at in deliveries:
            self._note_time(at, len(seqs))
            self._through = through

    def _note_time(self, at: int, count: int) -> None:
        """Note when the next ones were delivered."""
        times = self._times
        if times and times[-2] == at:
            times[-1] += count
        else:
            times += (at, count)

    def _renumber(self, pids: list[MemberId]) -> None:
        """Take the members' numbers as they are now."""
        if pids is self._pids:
            return
        before = self._pids
        self._number(pids)
        if pids[: len(before)] != before:
            names = [before[one] if isinstance(one, int) else one for one in self._senders]
            self._senders = [self._numbers.get(pid, pid) for pid in names]

    def _number(self, pids: list[MemberId]) -> None:
        self._pids = pids
        self._numbers = {pid: at for at, pid in enumerate(pids)}

    def _take(self, *deliveries: tuple[Any, ...]) -> None:
        """Take the ids and the digests of the next ones: senders, seqs and contents of several."""
        self._places = None
        digests = [self._digests]
        # As `digest` does, whose call would cost as much as all the rest.
        begin = _begin_digest
        for senders, seqs, contents, *_ in deliveries:
            self._senders += map(self._numbers.get, senders, senders)
            self._seqs += seqs
            # Contents of a group lie far apart. To hash one after the other would wait for memory
            # each time; copied together, which is cheap, all of them are fetched at once.
            b"".join(contents)
            for content in contents:
                begun = begin()
                begun.update(content)
                digests.append(begun.digest())
        self._digests = b"".join(digests)

    def cut(self, limits: Limits, *, now: int) -> None:
        """Forget what is too far back, and what was delivered too long ago."""
        times = self._times
        expired = at = 0
        while at < len(times) and now - times[at] >= limits.recent_us:
            expired += times[at + 1]
            at += 2
        going = max(expired, len(self._seqs) - limits.recent_deliveries)
        if going <= 0:
            return
        if going >= len(self._seqs):
            self.clear()
            return
        del self._senders[:going], self._seqs[:going]
        self._digests = self._digests[going * DIGEST_BYTES :]
        self._places = None
        while going >= times[1]:
            going -= times[1]
            del times[:2]
        times[1] -= going
