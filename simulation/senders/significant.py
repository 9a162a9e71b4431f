"""Honest senders of a significant group: objects that call each other and stamp what precedes.

Each member is an object. When its engine delivers a request that names it, an instance of the asked
operation begins; the object may call others from there, and ends the instance with a response. It
also begins instances of its own accord.

A response has the request as its parent; a request says in its content whom it is for. The stamps
are made by the production code (`ordering.stamping.significant`), which is told what the object
does. What comes before a message is worked out beside it, from the same deeds, by the definition
(`simulation.definitions.significant`): where the two differ, a checker speaks.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ordering.stamping.significant import Instance as StampedInstance
from ordering.stamping.significant import SignificantObject
from ordering.stamps import MessageType, SignificantStamps
from ordering.values import Message, MessageId
from simulation.definitions.significant import (
    REQUESTS,
    Deed,
    Instance,
    Meaning,
    Next,
    required,
)
from simulation.history import Entry, History, slots_in
from simulation.policies import CONFLICTS, delta_of
from simulation.senders.plain import Seat, Sender

TYPES_OF: Final = {"write": ("IS", "NS"), "read": ("IN", "NN")}
"""The types that a request for an operation may have."""

NOBODY: Final = "nobody"
RESPONSE_SHARE: Final = 0.45
FRESH_SHARE: Final = 0.3


class Performance(NamedTuple):
    """One running instance: as the definition sees it, and as the production code stamps it."""

    instance: Instance
    stamped: StampedInstance
    maybe_request: Entry | None = None


class SignificantSender(Sender):
    """The sending half of an object."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self._meaning = Meaning(CONFLICTS, delta_of(seat.group))
        self._object = SignificantObject(
            seat.member, conflicts=CONFLICTS, delta_us=self._meaning.delta_us
        )
        self._deeds: list[Deed] = []
        self._asked: list[Performance] = []  # running, with the request to answer
        self._own: list[Performance] = []  # running of its own accord
        self._calls: dict[MessageId, Performance] = {}  # own request -> who waits for its response
        self._sent_at = 0

    def note(self, entry: Entry, *, now: int) -> None:
        """The member's engine has delivered this message."""
        super().note(entry, now=now)
        message = entry.message
        stamps = message.stamps
        if message.id.sender == self.member or not isinstance(stamps, SignificantStamps):
            return
        if stamps.message_type in REQUESTS:
            if message.content.endswith(b">" + self.member.encode()):
                performance = self._begin(stamps.operation, now=now, maybe_request=entry)
                self._asked.append(performance)
                self._receive(entry, stamps.message_type, performance.instance)
        elif message.parents and message.parents[0] in self._calls:
            performance = self._calls.pop(message.parents[0])
            performance.stamped.receive(message)
            self._receive(entry, stamps.message_type, performance.instance)

    def _receive(self, entry: Entry, message_type: str, instance: Instance) -> None:
        self._deeds.append(Deed(entry, message_type, instance, is_sent=False))

    def make(self, *, now: int) -> Entry:
        """The object's next message: a response, or a request of a running or a fresh instance."""
        if self._asked and self._rng.random() < RESPONSE_SHARE:
            return self._respond(now=now)
        return self._call(now=now)

    def _respond(self, *, now: int) -> Entry:
        performance = self._asked.pop(int(self._rng.random() * len(self._asked)))
        message_type = "O" if self._rng.random() < 0.6 else "N"
        following = Next(message_type, performance.instance, performance.maybe_request)
        entry = self._send(following, performance, target=NOBODY, now=now)
        self._end(performance)
        return entry

    def _call(self, *, now: int) -> Entry:
        draw = self._rng.random
        running = self._asked + self._own
        if not running or draw() < FRESH_SHARE:
            performance = self._begin("write" if draw() < 0.5 else "read", now=now)
            self._own.append(performance)
        else:
            performance = running[int(draw() * len(running))]
        operation = "write" if draw() < 0.5 else "read"
        message_type = TYPES_OF[operation][int(draw() * 2)]
        others = [one.message.id.sender for one in self.delivered]
        target = others[int(draw() * len(others))] if others else NOBODY
        following = Next(message_type, performance.instance, maybe_answers=None)
        entry = self._send(following, performance, target=target, now=now, operation=operation)
        self._calls[entry.message.id] = performance
        if performance in self._own and draw() < FRESH_SHARE:
            self._own.remove(performance)
            self._end(performance)
        return entry

    def _begin(
        self, operation: str, *, now: int, maybe_request: Entry | None = None
    ) -> Performance:
        request = None if maybe_request is None else maybe_request.message
        return Performance(
            Instance(operation, began=len(self._deeds), began_at=now),
            self._object.begin(operation, now=now, request=request),
            maybe_request,
        )

    def _end(self, performance: Performance) -> None:
        performance.instance.maybe_ended = len(self._deeds)
        performance.stamped.complete()

    def _send(
        self,
        following: Next,
        performance: Performance,
        *,
        target: str,
        now: int,
        operation: str = "",
    ) -> Entry:
        message_id = self.next_id()
        self._sent_at = max(now, self._sent_at + 1)  # an object's instants rise
        requires = required(self._deeds, following, meaning=self._meaning)
        stamps = performance.stamped.stamp(
            MessageType(following.message_type), now=self._sent_at, operation=operation
        )
        request = following.maybe_answers
        message = Message(
            message_id,
            () if request is None else (request.message.id,),
            self.content_of(message_id) + b">" + target.encode(),
            stamps=stamps,
        )
        awaits = 0
        for one in latest_of(requires, history=self.history).values():
            awaits |= 1 << one.slot | self.history.earlier_of(one.message.id)
        entry = self.history.write_down(
            message, requires=requires, sent_at=stamps.sent_at, maybe_awaits=awaits
        )
        self._deeds.append(Deed(entry, following.message_type, following.instance, is_sent=True))
        return entry


def latest_of(mask: int, *, history: History) -> dict[str, Entry]:
    """Per sender, the last sent of some messages."""
    latest: dict[str, Entry] = {}
    for slot in slots_in(mask):
        entry = history.maybe_first_entry(slot)
        if entry is None:
            continue
        sender = entry.message.id.sender
        if sender not in latest or latest[sender].sent_at < entry.sent_at:
            latest[sender] = entry
    return latest
