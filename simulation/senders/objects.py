"""Honest senders of an inter-object group: objects that run threads and merge vectors.

A thread begins when a request for the object is delivered, or of its own accord. It sends to one
object (ucast), the same to several (mcast) or different messages side by side (pcast), and receives
the responses: one (srec), all (crec: what they carry counts when the last is in) or the first
(drec: the others do not count). A response ends the thread: what it knows goes back to the object,
and when no other thread runs, the object's compatibility id rises.

    cid 0: thread 1 sends (0, 1); thread 2 sends (0, 2); both end      cid 1: thread 3 sends (1, 3)

Ids rise in the order of sending: sends are counted per object, as `ordering.stamping.objects` does.
(The paper counts them per thread, so that a later message of a compatible thread may have the lower
id, and honest messages wait in a ring.) These senders are the simulator's own, so that a mistake in
the stamping and one in the definition can't agree.
"""

from __future__ import annotations

from enum import Enum
from typing import Final, NamedTuple

from ordering.stamps import Cast, ObjectStamps
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.objects import preceding, tell_those_who_count
from simulation.history import Entry
from simulation.policies import CONFLICTS
from simulation.senders.plain import Seat, Sender

RESPONSE_SHARE: Final = 0.45
FRESH_SHARE: Final = 0.4
MOST_SIBLINGS: Final = 3

Known = dict[str, tuple[int, int, int]]  # member -> cid, iseq and the highest seq merged


class Receipt(Enum):
    """How a thread receives the responses to what it sent."""

    SINGLE = "srec"
    CONJUNCTIVE = "crec"
    DISJUNCTIVE = "drec"


class Thread:
    """One thread of an object."""

    def __init__(self, known: Known, *, maybe_request: Entry | None) -> None:
        self.known = known
        self.maybe_request = maybe_request
        self.receipt = Receipt.SINGLE
        self.waits_for = 0
        self.came: list[Entry] = []

    def take(self, response: Entry) -> None:
        """A response to something this thread sent."""
        self.came.append(response)
        if self.receipt is Receipt.DISJUNCTIVE:
            counted = self.came if len(self.came) == 1 else []
        elif len(self.came) >= self.waits_for:
            counted = self.came
        else:
            counted = []
        for entry in counted:
            merge(self.known, entry)


class Outgoing(NamedTuple):
    """A message of a pcast that is still to be sent."""

    stamps: ObjectStamps
    thread: Thread


class ObjectsSender(Sender):
    """The sending half of an object."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self._known: Known = {}
        self._threads: list[Thread] = []
        self._siblings: list[Outgoing] = []
        self._calls: dict[MessageId, Thread] = {}
        self._cid = 0
        self._iseq = 0

    def note(self, entry: Entry, *, now: int) -> None:
        """The member's engine has delivered this message."""
        super().note(entry, now=now)
        message = entry.message
        stamps = message.stamps
        if message.id.sender == self.member or not isinstance(stamps, ObjectStamps):
            return
        if not stamps.is_response:
            if self.member in stamps.targets:
                thread = Thread(dict(self._known), maybe_request=entry)
                merge(thread.known, entry)
                self._threads.append(thread)
        elif message.parents and message.parents[0] in self._calls:
            self._calls[message.parents[0]].take(entry)

    def make(self, *, now: int) -> Entry:
        """The object's next message."""
        draw = self._rng.random
        if self._siblings:
            return self._send(self._siblings.pop(), maybe_request=None, now=now)
        asked = [thread for thread in self._threads if thread.maybe_request is not None]
        if asked and draw() < RESPONSE_SHARE:
            return self._respond(asked[int(draw() * len(asked))], now=now)
        if not self._threads or draw() < FRESH_SHARE:
            thread = Thread(dict(self._known), maybe_request=None)
            self._threads.append(thread)
        else:
            thread = self._threads[int(draw() * len(self._threads))]
        entry = self._call(thread, now=now)
        if thread.maybe_request is None and draw() < FRESH_SHARE:
            self._commit(thread)
        return entry

    def _respond(self, thread: Thread, *, now: int) -> Entry:
        request = thread.maybe_request
        assert request is not None
        self._iseq += 1
        stamps = ObjectStamps(
            cid=self._cid,
            iseq=self._iseq,
            is_response=True,
            targets=(request.message.id.sender,),
        )
        entry = self._send(
            Outgoing(self._counting(stamps, thread), thread), maybe_request=request, now=now
        )
        self._commit(thread)
        return entry

    def _call(self, thread: Thread, *, now: int) -> Entry:
        draw = self._rng.random
        cast = (Cast.UNICAST, Cast.MULTICAST, Cast.PARALLEL)[int(draw() * 3)]
        copies = 1 + int(draw() * MOST_SIBLINGS) if cast is Cast.PARALLEL else 1
        self._iseq += 1
        for _ in range(copies):
            stamps = ObjectStamps(
                cid=self._cid,
                iseq=self._iseq,
                cast=cast.value,
                operation="write" if draw() < 0.5 else "read",
                targets=self._pick_targets(2 if cast is Cast.MULTICAST else 1),
            )
            self._siblings.append(Outgoing(self._counting(stamps, thread), thread))
        thread.receipt = tuple(Receipt)[int(draw() * 3)]
        thread.waits_for = copies if thread.receipt is Receipt.CONJUNCTIVE else 1
        thread.came = []
        return self._send(self._siblings.pop(), maybe_request=None, now=now)

    def _counting(self, stamps: ObjectStamps, thread: Thread) -> ObjectStamps:
        """The same stamps with the thread's vector as it is now.

        Messages of one pcast share an id, so they share the vector of the moment of the cast too: a
        sibling that counted more would come both before and after those that count the id.
        """
        known = {member: one for member, one in thread.known.items() if member != self.member}
        return stamps._replace(members=tuple(known), vector=tuple(known.values()))

    def _pick_targets(self, count: int) -> tuple[str, ...]:
        others = [entry.message.id.sender for entry in self.delivered]
        if not others:
            return ("nobody",)
        picked = (others[int(self._rng.random() * len(others))] for _ in range(count))
        return tuple(dict.fromkeys(picked))

    def _commit(self, thread: Thread) -> None:
        self._threads.remove(thread)
        for member, known in thread.known.items():
            self._known[member] = max(known, self._known.get(member, known))
        if not self._threads and not self._siblings:
            self._cid += 1

    def _send(self, outgoing: Outgoing, *, maybe_request: Entry | None, now: int) -> Entry:
        message_id = self.next_id()
        stamps = outgoing.stamps
        parents = () if maybe_request is None else (maybe_request.message.id,)
        message = Message(message_id, parents, self.content_of(message_id), stamps=stamps)
        captures = self.history.earlier_of(message_id)
        for member, (_, _, seq) in zip(stamps.members, stamps.vector, strict=True):
            captures |= self.history.earlier_of(MessageId(MemberId(member), seq + 1))
        surely, perhaps = preceding(
            self.member, stamps=stamps, history=self.history, conflicts=CONFLICTS
        )
        entry = self.history.write_down(
            message,
            requires=surely & captures,
            maybe_awaits=surely | perhaps,
            maybe_names=0,
            captures=captures,
            sent_at=now,
        )
        if stamps.cast == Cast.PARALLEL:
            tell_those_who_count(entry, history=self.history, conflicts=CONFLICTS)
        if maybe_request is None:
            self._calls[message_id] = outgoing.thread
        return entry


def merge(known: Known, entry: Entry) -> None:
    """Take in all that a message carries, and the message itself."""
    stamps = entry.message.stamps
    if not isinstance(stamps, ObjectStamps):
        return
    carried: Known = dict(zip(stamps.members, stamps.vector, strict=False))
    sender, seq = entry.message.id
    carried[sender] = (stamps.cid, stamps.iseq, seq)
    for member, (cid, iseq, last_seq) in carried.items():
        old = known.get(member, (0, 0, 0))
        highest = max((cid, iseq), old[:2])
        known[member] = (*highest, max(last_seq, old[2]))
