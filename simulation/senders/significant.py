"""Honest senders of a significant group: objects that call each other and stamp what precedes.

Each member is an object. When its engine delivers a request that names it, an instance of the asked
operation begins; the object may call others from there, and ends the instance with a response. It
also begins instances of its own accord.

A response has the request as its parent; a request says in its content whom it is for. The
stamps carry the time of sending and, per member, the time of the latest message that comes before
by the definition (`simulation.definitions.significant`).
"""

from __future__ import annotations

from random import Random
from typing import Final

from ordering.stamps import SignificantStamps
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.significant import REQUESTS, Deed, Instance, Next, required
from simulation.history import Entry, History, slots_in
from simulation.options import GroupOptions
from simulation.policies import CONFLICTS
from simulation.senders.plain import Habits, Sender

TYPES_OF: Final = {"write": ("IS", "NS"), "read": ("IN", "NN")}
"""The types that a request for an operation may have."""

NOBODY: Final = "nobody"
RESPONSE_SHARE: Final = 0.45
FRESH_SHARE: Final = 0.3


class SignificantSender(Sender):
    """The sending half of an object."""

    def __init__(
        self,
        member: MemberId,
        *,
        group: GroupOptions,
        history: History,
        habits: Habits,
        rng: Random,
    ) -> None:
        super().__init__(member, group=group, history=history, habits=habits, rng=rng)
        self._deeds: list[Deed] = []
        self._asked: list[tuple[Instance, Entry]] = []  # running, with the request to answer
        self._own: list[Instance] = []  # running of its own accord
        self._calls: dict[MessageId, Instance] = {}  # own request -> the instance that waits for it
        self._instances = 0
        self._sent_at = 0

    def note(self, entry: Entry) -> None:
        """The member's engine has delivered this message."""
        super().note(entry)
        message = entry.message
        stamps = message.stamps
        if message.id.sender == self.member or not isinstance(stamps, SignificantStamps):
            return
        if stamps.message_type in REQUESTS:
            if message.content.endswith(b">" + self.member.encode()):
                instance = self._begin(stamps.operation)
                self._asked.append((instance, entry))
                self._deeds.append(Deed(entry, stamps.message_type, instance, is_sent=False))
        elif message.parents and message.parents[0] in self._calls:
            instance = self._calls.pop(message.parents[0])
            self._deeds.append(Deed(entry, stamps.message_type, instance, is_sent=False))

    def make(self, *, now: int) -> Entry:
        """The object's next message: a response, or a request of a running or a fresh instance."""
        if self._asked and self._rng.random() < RESPONSE_SHARE:
            return self._respond(now=now)
        return self._call(now=now)

    def _respond(self, *, now: int) -> Entry:
        place = int(self._rng.random() * len(self._asked))
        instance, request = self._asked.pop(place)
        message_type = "O" if self._rng.random() < 0.6 else "N"
        entry = self._send(
            Next(message_type, instance, maybe_answers=request), target=NOBODY, now=now
        )
        instance.maybe_ended = len(self._deeds)
        return entry

    def _call(self, *, now: int) -> Entry:
        draw = self._rng.random
        running = [instance for instance, _ in self._asked] + self._own
        if not running or draw() < FRESH_SHARE:
            instance = self._begin("write" if draw() < 0.5 else "read")
            self._own.append(instance)
        else:
            instance = running[int(draw() * len(running))]
        operation = "write" if draw() < 0.5 else "read"
        message_type = TYPES_OF[operation][int(draw() * 2)]
        others = [one.message.id.sender for one in self.delivered]
        target = others[int(draw() * len(others))] if others else NOBODY
        entry = self._send(
            Next(message_type, instance, maybe_answers=None),
            target=target,
            now=now,
            operation=operation,
        )
        self._calls[entry.message.id] = instance
        if instance in self._own and draw() < FRESH_SHARE:
            self._own.remove(instance)
            instance.maybe_ended = len(self._deeds)
        return entry

    def _begin(self, operation: str) -> Instance:
        self._instances += 1
        return Instance(operation, number=self._instances, began=len(self._deeds))

    def _send(
        self, following: Next, *, target: str, now: int, operation: str | None = None
    ) -> Entry:
        message_id = self.next_id()
        self._sent_at = max(now, self._sent_at + 1)
        requires = required(self._deeds, following, conflicts=CONFLICTS)
        latest = latest_of(requires, history=self.history)
        request = following.maybe_answers
        message = Message(
            message_id,
            () if request is None else (request.message.id,),
            self.content_of(message_id) + b">" + target.encode(),
            stamps=SignificantStamps(
                sent_at=self._sent_at,
                members=tuple(member for member in latest if member != self.member),
                preceding=tuple(
                    one.sent_at for member, one in latest.items() if member != self.member
                ),
                own_preceding=latest[self.member].sent_at if self.member in latest else 0,
                message_type=following.message_type,
                operation=operation or following.instance.operation,
                instance=following.instance.number,
            ),
        )
        awaits = 0
        for one in latest.values():
            awaits |= 1 << one.slot | self.history.earlier_of(one.message.id)
        entry = self.history.write_down(
            message, requires=requires, sent_at=self._sent_at, maybe_awaits=awaits
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
