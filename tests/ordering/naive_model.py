"""What must be delivered, by the plain definition of each order: slow, and obviously right.

A message is ready when everything that its order puts before it is there. The naive group looks at
all its messages again and again until none is ready: what is delivered after each arrival is the
largest set that the definition allows. It knows nothing of giving up, bounds or windows.
"""

from __future__ import annotations

from collections.abc import Callable

from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps
from ordering.values import MemberId, Message, MessageId


class NaiveGroup:
    """One group in which nothing is given up."""

    def __init__(self, discipline: str, *, conflicts: frozenset[tuple[str, str]]) -> None:
        self.received: dict[MessageId, Message] = {}
        self.delivered: list[MessageId] = []
        self._conflicts = conflicts
        self._is_ready: Callable[[Message], bool] = {
            "none": lambda _: True,
            "total": lambda _: True,
            "fifo": self._follows_its_sender,
            "semantic": self._follows_its_parents,
            "semantic+fifo": lambda message: (
                self._follows_its_sender(message) and self._follows_its_parents(message)
            ),
            "causal": self._follows_its_causes,
            "significant": self._follows_what_signifies,
            "objects": self._follows_its_vector,
        }[discipline]

    def receive(self, message: Message) -> None:
        """Take a message in, and deliver all that is ready then."""
        if message.id in self.received:
            return
        self.received[message.id] = message
        for other in list(self.received.values()):
            if other.id not in self.delivered and self._is_ready(other):
                self._deliver(other)

    def _deliver(self, message: Message) -> None:
        """Deliver one message and then, depth first in order of arrival, what it freed."""
        waiting = [
            other
            for other in self.received.values()
            if other.id not in self.delivered and not self._is_ready(other)
        ]
        self.delivered.append(message.id)
        freed = [other for other in waiting if self._is_ready(other)]
        for other in freed:
            if other.id not in self.delivered:
                self._deliver(other)

    def _has(self, sender: str, seq: int) -> bool:
        return MessageId(MemberId(sender), seq) in self.delivered

    def _has_all(self, sender: str, seq: int) -> bool:
        return all(self._has(sender, one) for one in range(1, seq + 1))

    def _has_captured_all(self, sender: str, seq: int) -> bool:
        return all(MessageId(MemberId(sender), one) in self.received for one in range(1, seq + 1))

    def _follows_its_sender(self, message: Message) -> bool:
        return self._has_all(message.id.sender, message.id.seq - 1)

    def _follows_its_parents(self, message: Message) -> bool:
        return all(parent in self.delivered for parent in message.parents)

    def _follows_its_causes(self, message: Message) -> bool:
        stamps = message.stamps
        assert isinstance(stamps, CausalStamps)
        return self._follows_its_sender(message) and all(
            self._has_all(member, upcoming - 1)
            for member, upcoming in zip(stamps.members, stamps.csn, strict=True)
        )

    def _follows_what_signifies(self, message: Message) -> bool:
        stamps = message.stamps
        assert isinstance(stamps, SignificantStamps)
        instants = dict(zip(stamps.members, stamps.preceding, strict=True))
        instants[message.id.sender] = stamps.own_preceding
        return all(self._has_through(member, instant) for member, instant in instants.items())

    def _has_through(self, sender: str, instant: int) -> bool:
        """Whether all that a member sent up to an instant is delivered, without a gap before it."""
        seq, through = 1, 0
        while self._has(sender, seq):
            stamps = self.received[MessageId(MemberId(sender), seq)].stamps
            assert isinstance(stamps, SignificantStamps)
            through = max(through, stamps.sent_at)
            seq += 1
        return through >= instant

    def _follows_its_vector(self, message: Message) -> bool:
        stamps = message.stamps
        assert isinstance(stamps, ObjectStamps)
        if not self._has_captured_all(message.id.sender, message.id.seq - 1):
            return False
        for member, (_, _, seq) in zip(stamps.members, stamps.vector, strict=True):
            if not self._has_captured_all(member, seq):
                return False
        return not any(
            self._precedes(other, message)
            for other in self.received.values()
            if other.id not in self.delivered and other.id != message.id
        )

    def _precedes(self, first: Message, second: Message) -> bool:
        """The ordering rule of the inter-object protocol, for two messages."""
        one, two = first.stamps, second.stamps
        assert isinstance(one, ObjectStamps)
        assert isinstance(two, ObjectStamps)
        if first.id.sender == second.id.sender:
            return (one.cid, one.iseq) < (two.cid, two.iseq)
        known = dict(zip(two.members, two.vector, strict=True)).get(first.id.sender)
        if known is None or two.is_response or (one.cid, one.iseq) > known[:2]:
            return False
        if one.is_response:
            return True
        is_shared = not one.targets or not two.targets or set(one.targets) & set(two.targets)
        return bool(is_shared) and (one.operation, two.operation) in self._conflicts
