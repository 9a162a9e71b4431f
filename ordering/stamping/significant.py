"""Stamping for significant order: what an object has sent and received, and what of it precedes.

An object performs *instances* of operations. Each instance works on a copy of what its object knows
from conflicting instances that were over before; what it sends and receives itself it knows by
heart. When it completes, only what can still precede something flows back to the object, and what
is older than delta is forgotten: everyone has it by then.

    counter object, "add" conflicts with "add"
    instance 1: receives the request add (IS, sent at 10), responds, completes
    instance 2: begins, sends a request get (IN)    ->    after the add: preceding {client: 10}
"""

from typing import NamedTuple

from ordering.disciplines.significant_tables import (
    ORDERED,
    RECEIVE_SEND,
    RECEIVE_SEND_APART,
    SEND_SEND,
    is_ordered,
)
from ordering.stamps import MessageType, SignificantStamps
from ordering.values import MemberId, Message


class Deed(NamedTuple):
    """Something that an object sent or received."""

    member: MemberId
    sent_at: int
    message_type: MessageType
    operation: str
    is_sent: bool


class SignificantObject:
    """One object of a significant group, as a sender."""

    def __init__(
        self, pid: MemberId, *, conflicts: frozenset[tuple[str, str]], delta_us: int
    ) -> None:
        self.pid = pid
        self._conflicts = conflicts
        self._delta_us = delta_us
        self._known: list[Deed] = []
        self._instances = 0
        self._last_sent_at = 0

    def begin(self, operation: str, *, now: int, request: Message | None = None) -> "Instance":
        """Begin an instance of an operation, for a request that was received or of its own
        accord."""
        self._known = [deed for deed in self._known if deed.sent_at >= now - self._delta_us]
        self._instances += 1
        before = [deed for deed in self._known if (deed.operation, operation) in self._conflicts]
        instance = Instance(self, operation, number=self._instances, before=before)
        if request is not None:
            instance.receive(request)
            instance.request = instance.deeds[-1]
        return instance

    def next_sent_at(self, now: int) -> int:
        """Give the instant to stamp: the clock's, or just after the last if that is not earlier.

        Everything up to an instant is waited for, so no two messages of an object may share one,
        and a clock that is set back must not show.
        """
        self._last_sent_at = max(now, self._last_sent_at + 1)
        return self._last_sent_at

    def learn(self, deeds: list[Deed]) -> None:
        """Take back what a completed instance leaves: only what may precede a later message."""
        self._known += [deed for deed in deeds if _may_precede_apart(deed)]


def _may_precede_apart(deed: Deed) -> bool:
    table = SEND_SEND if deed.is_sent else RECEIVE_SEND_APART
    return ORDERED in table[deed.message_type].values()


class Instance:
    """One performance of an operation."""

    def __init__(
        self, owner: SignificantObject, operation: str, *, number: int, before: list[Deed]
    ) -> None:
        self.deeds: list[Deed] = []
        self.request: Deed | None = None
        """the request that it answers, if it was asked"""
        self._owner = owner
        self._operation = operation
        self._number = number
        self._before = before

    def receive(self, message: Message) -> None:
        """Note a message that belongs to this instance: its request, or a response to it."""
        stamps = message.stamps
        if isinstance(stamps, SignificantStamps):
            kind = MessageType(stamps.message_type)
            sender = message.id.sender
            self.deeds.append(Deed(sender, stamps.sent_at, kind, self._operation, is_sent=False))

    def stamp(
        self, message_type: MessageType, *, now: int, operation: str = ""
    ) -> SignificantStamps:
        """Give the stamps of the next message of this instance, and note it as sent.

        `operation` is what a request asks for; a response is of the instance's own operation.
        """
        latest: dict[MemberId, int] = {}
        for deed in (*self._before, *self.deeds):
            if self._precedes(deed, message_type):
                latest[deed.member] = max(deed.sent_at, latest.get(deed.member, 0))
        pid = self._owner.pid
        own_preceding = latest.pop(pid, 0)
        sent_at = self._owner.next_sent_at(now)
        self.deeds.append(Deed(pid, sent_at, message_type, self._operation, is_sent=True))
        return SignificantStamps(
            sent_at=sent_at,
            members=tuple(latest),
            preceding=tuple(latest.values()),
            own_preceding=own_preceding,
            message_type=message_type.value,
            operation=operation or self._operation,
            instance=self._number,
        )

    def _precedes(self, deed: Deed, following: MessageType) -> bool:
        """Look up whether something done comes before a message that is about to be sent."""
        is_same_instance = any(deed is own for own in self.deeds)
        if is_same_instance and deed.is_sent:
            return True
        if is_same_instance:
            answers = deed is self.request and following in RESPONSES
            return is_ordered(
                RECEIVE_SEND, deed.message_type, following, is_request_and_response=answers
            )
        table = SEND_SEND if deed.is_sent else RECEIVE_SEND_APART
        return is_ordered(table, deed.message_type, following, is_request_and_response=False)

    def complete(self) -> None:
        """End the instance: what may still precede something flows back to the object."""
        self._owner.learn(self.deeds)


RESPONSES = (MessageType.RESPONSE_OUTPUT, MessageType.RESPONSE_PLAIN)
