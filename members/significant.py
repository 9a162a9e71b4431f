"""Significant order as calls: an object performs operations, and only what must be is ordered.

An object is a member of a group whose discipline is `significant`. It performs *instances* of
operations; the types of requests and responses say whether they carry data and change state, and
the group's table of conflicts says which operations must not be interchanged.

    calls = SignificantCalls(manager, "counter")
    instance = calls.begin("add", now=now)
    effects = calls.send(instance, MessageType.REQUEST_INPUT_STATE, b"5", now=now)
    calls.receive(instance, delivered)          a response that belongs to the instance
    calls.complete(instance)

The clocks of the members must agree to within the group's delta (`GroupPolicy.delta_us`).
"""

from members.events import Delivered, Effects
from members.membership import Membership
from members.routing import GroupManager
from ordering.stamping.significant import Instance, SignificantObject
from ordering.stamps import MessageType
from ordering.values import GroupId, MemberId, Message


class SignificantCalls:
    """One object of a group, as a caller. All that it sends in the group goes through here."""

    def __init__(self, manager: GroupManager, group: GroupId | str) -> None:
        """Raises UnknownGroupError if the member is not in the group."""
        self._membership: Membership = manager.membership(group)
        policy = self._membership.policy
        self._object = SignificantObject(
            self._membership.pid, conflicts=policy.conflicts, delta_us=policy.delta_us
        )

    @property
    def pid(self) -> MemberId:
        """The name of the object."""
        return self._object.pid

    def begin(
        self, operation: str, *, maybe_request: Delivered | None = None, now: int
    ) -> Instance:
        """Begin an instance of an operation, for a request or of the object's own accord."""
        request = None if maybe_request is None else _message_of(maybe_request)
        return self._object.begin(operation, now=now, request=request)

    def send(
        self,
        instance: Instance,
        message_type: MessageType,
        content: bytes,
        *,
        operation: str = "",
        now: int,
    ) -> Effects:
        """Send a request or a response of an instance; `operation` is what a request asks for."""
        out = Effects()
        message_id, _ = self._membership.delivering.stamp(dst=(), buf=0)
        stamps = instance.stamp(message_type, now=now, operation=operation)
        self._membership.send_stamped(
            message_id, stamps, payload=content, parents=(), now=now, out=out
        )
        return out

    def receive(self, instance: Instance, event: Delivered) -> None:
        """Note a delivered message that belongs to an instance."""
        instance.receive(_message_of(event))

    def complete(self, instance: Instance) -> None:
        """End an instance: what may still precede something, its object knows."""
        instance.complete()


def _message_of(event: Delivered) -> Message:
    return Message(event.id, event.parents, event.payload, event.stamps)
