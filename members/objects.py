"""Object-group operations: an object calls others by ucast, mcast and pcast, and receives answers.

An object is a member of a group whose discipline is `objects`. It works in threads: a thread asks,
receives what comes back, responds to the request for which it was begun, and commits.

    calls = ObjectCalls(manager, "shop")
    thread = calls.begin()
    effects = thread.mcast("reserve", ["stock#1", "bank#1"], b"one book", now=now)
    receipt = thread.crec("stock#1", "bank#1")          both must answer
    thread.offer(receipt, delivered)                    True: this one completes it

`srec` wants one answer, `crec` one of each, `drec` the first of any. What completes a receipt is
what the thread knows from then on, and so what its next messages follow.
"""

from collections.abc import Sequence

from members.errors import MemberError
from members.events import Delivered, Effects
from members.membership import Membership
from members.routing import GroupManager
from ordering.errors import EngineFault
from ordering.stamping.objects import CallingObject, Receipt, ReceiptKind, Thread
from ordering.stamps import ObjectStamps
from ordering.values import GroupId, MemberId, Message, MessageId


class ObjectCalls:
    """One object of a group, as a caller. All that it sends in the group goes through here."""

    def __init__(self, manager: GroupManager, group: GroupId | str) -> None:
        """Raises UnknownGroupError if the member is not in the group."""
        self._membership: Membership = manager.membership(group)
        self._object = CallingObject(self._membership.pid)

    @property
    def pid(self) -> MemberId:
        """The name of the object."""
        return self._object.pid

    def begin(self, maybe_request: Delivered | None = None) -> "CallThread":
        """Begin a thread: for a request that was delivered, or of the object's own accord."""
        request = None if maybe_request is None else _message_of(maybe_request)
        return CallThread(self._membership, self._object.begin(request))

    def is_for_this_object(self, event: Delivered) -> bool:
        """Tell whether a delivered message is for this object."""
        return isinstance(event.stamps, ObjectStamps) and self.pid in event.stamps.targets


class CallThread:
    """One thread of an object."""

    def __init__(self, membership: Membership, thread: Thread) -> None:
        self._membership = membership
        self._thread = thread

    def ucast(self, operation: str, target: str, content: bytes, *, now: int) -> Effects:
        """Ask one object."""
        return self._sent([(self._thread.ucast(operation, target), content)], now=now)

    def mcast(self, operation: str, targets: Sequence[str], content: bytes, *, now: int) -> Effects:
        """Ask many objects the same, with one message."""
        return self._sent([(self._thread.mcast(operation, targets), content)], now=now)

    def pcast(self, requests: Sequence[tuple[str, Sequence[str], bytes]], *, now: int) -> Effects:
        """Ask different things side by side; they are not ordered among themselves."""
        stamped = self._thread.pcast([(operation, targets) for operation, targets, _ in requests])
        contents = (content for _, _, content in requests)
        return self._sent(list(zip(stamped, contents, strict=True)), now=now)

    def respond(self, content: bytes, *, now: int) -> Effects:
        """Answer the request for which the thread was begun. Raises MemberError without one."""
        try:
            stamped = self._thread.respond()
        except EngineFault as fault:
            raise MemberError(f"{fault}; begin the thread with the request") from None
        return self._sent([(stamped, content)], now=now)

    def srec(self, source: str) -> Receipt:
        """Want one message of one object."""
        return Receipt(ReceiptKind.SINGLE, [source])

    def crec(self, *sources: str) -> Receipt:
        """Want one message of each of these; complete when the last comes."""
        return Receipt(ReceiptKind.CONJUNCTIVE, sources)

    def drec(self, *sources: str) -> Receipt:
        """Want the first message of any of these; the others do not count."""
        return Receipt(ReceiptKind.DISJUNCTIVE, sources)

    def offer(self, receipt: Receipt, event: Delivered) -> bool:
        """Give a delivered message to a receipt; tell whether this very one completes it."""
        return self._thread.receive(receipt, _message_of(event))

    def commit(self) -> None:
        """End the thread: what it learned, its object knows."""
        self._thread.commit()

    def _sent(
        self, stamped: list[tuple[tuple[MessageId, ObjectStamps], bytes]], *, now: int
    ) -> Effects:
        out = Effects()
        for (message_id, stamps), content in stamped:
            self._membership.send_stamped(
                message_id, stamps, payload=content, parents=(), now=now, out=out
            )
        return out


def _message_of(event: Delivered) -> Message:
    return Message(event.id, event.parents, event.payload, event.stamps)
