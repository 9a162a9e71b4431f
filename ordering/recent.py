"""The window of recent deliveries in which an equivocation is recognised.

The window holds a delivery while it is among the last `recent_deliveries` positions *and* was made
less than `recent_us` ago by the log's time. Both are facts of the log, so the answer never depends
on how messages were batched. References are kept and nothing is hashed until a snapshot is taken
(past_deliveries.py); events are put aside as they come, and looked through only when an id comes
again.

    past (ids and digests)  |  fresh (deliveries)  |  aside (events of all kinds)  ->  newest
"""

from collections.abc import Iterator, Sequence
from itertools import count, repeat
from typing import Any

from ordering.events import Delivered, Event
from ordering.past_deliveries import Flat, PastDeliveries, Plain, digest
from ordering.policy import Limits
from ordering.values import MemberId, Message, MessageId

ROOM = 4
"""How many times the window's width may be put aside as events: enough that looking through them is
rare, little enough that what they keep alive stays small."""


class RecentDeliveries:
    """The last deliveries of one group, newest last."""

    __slots__ = (
        "_aside",
        "_aside_count",
        "_found",
        "_fresh",
        "_fresh_count",
        "_indexed",
        "_limits",
        "_past",
        "_plain",
        "_plain_count",
        "width",
    )

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self.width = limits.recent_deliveries
        self._past = PastDeliveries()
        """from before the last snapshot"""
        self._fresh: list[tuple[list[Delivered], int]] = []
        """newer deliveries, and when they happened"""
        self._fresh_count = 0
        """how many deliveries are fresh: no more than the window holds, but for one batch"""
        self._aside: list[tuple[Sequence[Event], int]] = []
        """newer events of all kinds, not looked through yet, and when they happened"""
        self._aside_count = 0
        """how many events are put aside"""
        self._found: dict[MessageId, tuple[Delivered, int]] = {}
        """the fresh deliveries by id, as far as they were indexed"""
        self._indexed = 0
        """the highest position that `_found` knows"""
        self._plain: list[Plain] = []
        """newer deliveries that had no event (plain_case.py), not looked through yet"""
        self._plain_count = 0
        """how many they are: no more than the window holds, but for the first of them"""

    def extend(self, events: Sequence[Event], *, first: int, now: int) -> None:
        """Take the deliveries among events[first:].

        1. Put the newest events aside, at most twice as many as the window is wide.
        2. If they fill the window by themselves, whatever came before is outside it, and so are the
           first of them: each cut takes as many events as there are deliveries too many.
        3. If they do not though there are more, look for as many deliveries as the window holds.
        4. When much lies aside, look through it.
        """
        fresh = len(events) - first
        newest = events[max(first, len(events) - 2 * self.width) :]
        if fresh > self.width:
            excess = _deliveries_in(newest) - self.width
            if excess >= 0:
                self._forget_all()
                while excess > 0:
                    newest = newest[excess:]
                    excess = _deliveries_in(newest) - self.width
            elif len(newest) < fresh:
                newest = self._newest_of(events, first)
        if newest:
            self._aside.append((newest, now))
            self._aside_count += len(newest)
            if self._aside_count > ROOM * self.width:
                self._look_through()

    def extend_plainly(
        self,
        *,
        senders: list[str],
        seqs: list[int],
        contents: list[bytes],
        through: int,
        now: int,
    ) -> None:
        """Take deliveries that had no event, the last of them at the position `through`."""
        plain = self._plain
        plain.append((senders, seqs, contents, through, now))
        self._plain_count += len(senders)
        while self._plain_count - len(plain[0][0]) >= self.width:
            self._plain_count -= len(plain.pop(0)[0])

    def _forget_all(self) -> None:
        self._past.clear()
        self._forget_fresh()
        self._forget_aside()

    def _forget_aside(self) -> None:
        self._aside.clear()
        self._aside_count = 0
        self._plain.clear()
        self._plain_count = 0

    def _forget_fresh(self) -> None:
        self._fresh.clear()
        self._fresh_count = 0
        self._found.clear()

    def _newest_of(self, events: Sequence[Event], first: int) -> list[Event]:
        """Give the last deliveries of events[first:], no more than the window holds."""
        newest: list[Event] = []
        for at in range(len(events) - 1, first - 1, -1):
            if isinstance(events[at], Delivered):
                newest.append(events[at])
                if len(newest) == self.width:
                    break
        newest.reverse()
        return newest

    def _look_through(self) -> None:
        """Take the deliveries out of what was put aside, and let go of those that are too far back.

        Everything before a batch that leaves the window has left it too, the past first of all.
        """
        fresh = self._fresh
        if self._plain:
            self._put_aside_plain()
        for events, at in self._aside:
            deliveries = [one for one in events if isinstance(one, Delivered)]
            if deliveries:
                fresh.append((deliveries, at))
                self._fresh_count += len(deliveries)
        self._forget_aside()
        if self._fresh_count < self.width:
            return
        self._past.clear()
        gone = 0
        for deliveries, _ in fresh:
            if self._fresh_count - len(deliveries) < self.width:
                break
            self._fresh_count -= len(deliveries)
            gone += 1
        del fresh[:gone]

    def _put_aside_plain(self) -> None:
        """Make events of the deliveries that had none, and put all in the order of positions."""
        deliveries = [
            (one, at) for events, at in self._aside for one in events if isinstance(one, Delivered)
        ]
        for position, sender, seq, content, at in self._flat_plain():
            message = Message(MessageId(MemberId(sender), seq), (), content)
            deliveries.append((Delivered(position, message), at))
        deliveries.sort(key=lambda one: one[0].position)
        self._aside = [([one], at) for one, at in deliveries]

    def _flat_plain(self) -> Iterator[Flat]:
        """Give the deliveries that had no event one by one."""
        for senders, seqs, contents, through, at in self._plain:
            first = through - len(seqs) + 1
            yield from zip(count(first), senders, seqs, contents, repeat(at))

    def _flat(self) -> list[Flat]:
        """Give all deliveries since the last snapshot that are not too far back, oldest first."""
        flat: list[Flat] = [
            (one.position, one.message[0][0], one.message[0][1], one.message[2], at)
            for batches in (self._fresh, self._aside)
            for events, at in batches
            for one in events
            if isinstance(one, Delivered)
        ]
        flat += self._flat_plain()
        flat.sort(key=_position_of)
        return flat[max(0, len(flat) - self.width) :]

    def is_equivocation(self, message: Message, *, position: int, now: int) -> bool:
        """Tell whether the id was recently delivered with other content.

        `position` is the group's last position. A delivery outside the window gives False: the
        message is then an ordinary duplicate, and verification of the whole history is elsewhere.
        """
        self._index()
        maybe_fresh = self._found.get(message.id)
        if maybe_fresh is not None:
            delivery, delivered_at = maybe_fresh
            is_other = delivery.message.content != message.content
            return is_other and self._is_inside(delivery.position, delivered_at, position, now)
        maybe_past = self._past.find(message.id)
        if maybe_past is None:
            return False
        is_other = maybe_past.digest != digest(message.content)
        return is_other and self._is_inside(
            maybe_past.position, maybe_past.delivered_at, position, now
        )

    def _is_inside(self, place: int, delivered_at: int, position: int, now: int) -> bool:
        """Tell whether what was delivered there and then is still in the window."""
        return place > position - self.width and now - delivered_at < self._limits.recent_us

    def _index(self) -> None:
        """Bring the index up to the newest delivery; each delivery is indexed at most once."""
        self._look_through()
        if len(self._found) > 2 * self.width:
            self._found.clear()
            self._indexed = 0
        newest = self._indexed
        for deliveries, at in reversed(self._fresh):
            if deliveries[-1].position <= self._indexed:
                break
            newest = max(newest, deliveries[-1].position)
            for one in deliveries:
                if one.position > self._indexed:
                    self._found[one.message.id] = (one, at)
        self._indexed = newest

    def remembered(self, pids: list[MemberId], *, now: int) -> list[Any]:
        """Give what a snapshot must keep: the window as it stands now, as plain values.

        `pids` are the group's members as the snapshot numbers them. From here on digests answer for
        contents, and the next snapshot hashes only what is new.
        """
        past = self._past
        if not (self._fresh or self._aside):
            self._trim_plain()
            past.add_plain(self._plain, pids=pids)
        elif self._plain:
            past.add_flat(self._flat(), pids=pids)
        else:
            self._look_through()
            self._trim_fresh()
            past.add(self._fresh, pids=pids)
        if self._fresh or self._found:
            self._forget_fresh()
        if self._plain or self._aside:
            self._forget_aside()
        past.cut(self._limits, now=now)
        return past.write()

    def _trim_fresh(self) -> None:
        """Let go of what the first of the fresh deliveries are too many."""
        excess = self._fresh_count - self.width
        if excess > 0:
            deliveries, at = self._fresh[0]
            self._fresh[0] = (deliveries[excess:], at)

    def _trim_plain(self) -> None:
        """Let go of what the first of the plain deliveries are too many."""
        excess = self._plain_count - self.width
        if excess > 0:
            senders, seqs, contents, through, at = self._plain[0]
            newest = (senders[excess:], seqs[excess:], contents[excess:])
            self._plain[0] = (*newest, through, at)

    def recall(self, plain: Sequence[Any], *, pids: list[MemberId], position: int) -> None:
        """Put back what `remembered` gave."""
        self._past.read(plain, pids=pids, through=position)


def _position_of(delivery: Flat) -> int:
    return delivery[0]


def _deliveries_in(events: Sequence[Event]) -> int:
    """Count deliveries by the positions of the first and the last, which leave out none."""
    first = next((one.position for one in events if isinstance(one, Delivered)), 0)
    last = next((one.position for one in reversed(events) if isinstance(one, Delivered)), -1)
    return last - first + 1
