"""Stamping for inter-object order: threads, compatibility ids, object vectors and receipts.

- An object's *compatibility id* grows when a thread commits and no other runs. Threads that carry
  the same one are compatible.
- A thread begins with a copy of its object's vector, merged with that of the request it serves.
  What it learns goes back to the object when it commits.
- Each `ucast`, `mcast`, `pcast` or response takes the object's next `iseq`; all messages of one
  pcast share it, and so are not ordered among themselves. (The paper counts per thread and lets a
  response repeat the iseq of its request. Then a later message of a compatible thread has a lower
  id than an earlier one, "lower id first" contradicts what was seen, and honest messages wait in a
  ring. Here ids rise in the order of sending, and a response has its request as its parent.)
- A *receipt* merges what it received into the thread's vector when it completes: `srec` and `drec`
  with the first message (for `drec` the others do not count), `crec` with the last of them.

    alice: begin    pcast [(read, bob), (read, carol)]    both have id (0, 1)
    crec(bob, carol): bob's response                      nothing merged yet
                      carol's response                    both merged
"""

from collections.abc import Sequence
from enum import StrEnum
from typing import TypeAlias

from ordering.errors import EngineFault
from ordering.stamps import Cast, ObjectStamps
from ordering.values import MemberId, Message, MessageId

Known: TypeAlias = dict[str, tuple[int, int, int]]
"""An object vector: for each object the highest id `(cid, iseq)`, and the highest seq with it."""


class ReceiptKind(StrEnum):
    """How a thread receives what comes back."""

    SINGLE = "srec"
    CONJUNCTIVE = "crec"
    DISJUNCTIVE = "drec"


class Receipt:
    """One receipt: from which objects it wants a message, and which have come."""

    def __init__(self, kind: ReceiptKind, sources: Sequence[str]) -> None:
        self._kind = kind
        self._sources = set(sources)
        self._came: dict[str, Message] = {}

    def offer(self, message: Message) -> bool:
        """Take a message if it is wanted; tell whether this very one completes the receipt."""
        sender = message.id.sender
        if self.is_complete or sender not in self._sources or sender in self._came:
            return False
        self._came[sender] = message
        return self.is_complete

    @property
    def is_complete(self) -> bool:
        """Tell whether all that is wanted has come."""
        if self._kind is ReceiptKind.CONJUNCTIVE:
            return len(self._came) == len(self._sources)
        return bool(self._came)

    def counted(self) -> list[Message]:
        """Give the messages that count, once it is complete."""
        return list(self._came.values()) if self.is_complete else []


class CallingObject:
    """One object of an inter-object group, as a sender."""

    def __init__(self, pid: MemberId) -> None:
        self.pid = pid
        self.known: Known = {}
        self._cid = 0
        self._iseq = 0
        self._seq = 0
        self._running = 0

    def begin(self, request: Message | None = None) -> "Thread":
        """Begin a thread, for a request that was received or of its own accord."""
        self._running += 1
        thread = Thread(self, cid=self._cid, request=request)
        if request is not None:
            thread.merge(request)
        return thread

    def next_iseq(self) -> int:
        """Count one more cast or response."""
        self._iseq += 1
        return self._iseq

    def next_id(self) -> MessageId:
        """Count one more message."""
        self._seq += 1
        return MessageId(self.pid, self._seq)

    def end(self, thread: "Thread") -> None:
        """Take a committed thread's knowledge back."""
        merge_known(self.known, thread.known)
        self._running -= 1
        if self._running == 0:
            self._cid += 1


class Thread:
    """One thread of an object."""

    def __init__(self, owner: CallingObject, *, cid: int, request: Message | None) -> None:
        self.known: Known = dict(owner.known)
        self._owner = owner
        self._cid = cid
        self._request = request

    def ucast(self, operation: str, target: str) -> tuple[MessageId, ObjectStamps]:
        """Ask one object."""
        return self._stamp(self._owner.next_iseq(), Cast.UNICAST, operation, (target,))

    def mcast(self, operation: str, targets: Sequence[str]) -> tuple[MessageId, ObjectStamps]:
        """Ask many objects the same."""
        return self._stamp(self._owner.next_iseq(), Cast.MULTICAST, operation, tuple(targets))

    def pcast(
        self, requests: Sequence[tuple[str, Sequence[str]]]
    ) -> list[tuple[MessageId, ObjectStamps]]:
        """Ask different things side by side."""
        iseq = self._owner.next_iseq()
        return [
            self._stamp(iseq, Cast.PARALLEL, operation, tuple(targets))
            for operation, targets in requests
        ]

    def respond(self) -> tuple[MessageId, ObjectStamps]:
        """Answer the request for which the thread was begun; the request is to be the parent."""
        asked = self._request
        if asked is None or not isinstance(asked.stamps, ObjectStamps):
            raise EngineFault(f"a thread of {self._owner.pid} was not asked: it has no response")
        iseq = self._owner.next_iseq()
        message_id, stamps = self._stamp(iseq, Cast.UNICAST, "", (asked.id.sender,))
        return message_id, stamps._replace(is_response=True)

    def _stamp(
        self, iseq: int, cast: Cast, operation: str, targets: tuple[str, ...]
    ) -> tuple[MessageId, ObjectStamps]:
        others = {member: one for member, one in self.known.items() if member != self._owner.pid}
        stamps = ObjectStamps(
            self._cid,
            iseq,
            cast=cast.value,
            operation=operation,
            targets=targets,
            members=tuple(others),
            vector=tuple(others.values()),
        )
        return self._owner.next_id(), stamps

    def receive(self, receipt: Receipt, message: Message) -> bool:
        """Give a message to a receipt; when that completes it, merge what counts."""
        if not receipt.offer(message):
            return False
        for counted in receipt.counted():
            self.merge(counted)
        return True

    def merge(self, message: Message) -> None:
        """Get to know a message and all that its sender's thread knew."""
        stamps = message.stamps
        if isinstance(stamps, ObjectStamps):
            sender, seq = message.id
            merge_known(self.known, dict(zip(stamps.members, stamps.vector, strict=False)))
            merge_known(self.known, {sender: (stamps.cid, stamps.iseq, seq)})

    def commit(self) -> None:
        """End the thread."""
        self._owner.end(self)


def merge_known(known: Known, other: Known) -> None:
    """Raise each entry to the higher id, and to the higher seq."""
    for member, (cid, iseq, seq) in other.items():
        old_cid, old_iseq, old_seq = known.get(member, (0, 0, 0))
        known[member] = (*max((cid, iseq), (old_cid, old_iseq)), max(seq, old_seq))
