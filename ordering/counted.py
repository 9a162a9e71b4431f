"""What a message counts, made when it is asked for.

Vectors are wide and most of their entries are met at once, so writing them all out as requirements
would cost more than ordering the message.
"""

from collections.abc import Callable, Sequence
from typing import overload

from ordering.member import Member
from ordering.requirement import Requirement, delivered_up_to
from ordering.values import MessageId


class Counted(Sequence[Requirement]):
    """A sender up to a message of its own, then each entry of that message's vector.

    Place 0 is the sender's own earlier messages and place k + 1 is `members[k]`, whether that asks
    for anything or not: "up to 0" is always met.

        message bob 7, members (alice, bob), upcoming (4, 7)
        [bob up to 6, alice up to 3, bob up to 0]
    """

    __slots__ = ("_members", "_message_id", "_upcoming", "length")

    def __init__(
        self, message_id: MessageId, members: tuple[str, ...], upcoming: tuple[int, ...]
    ) -> None:
        self._message_id = message_id
        self._members = members
        self._upcoming = upcoming
        self.length = 1 + len(members)
        """the same as `len`, for hot loops"""

    def __len__(self) -> int:
        return self.length

    @overload
    def __getitem__(self, place: int) -> Requirement: ...

    @overload
    def __getitem__(self, place: slice) -> Sequence[Requirement]: ...

    def __getitem__(self, place: int | slice) -> Requirement | Sequence[Requirement]:
        if isinstance(place, slice):
            return [self[one] for one in range(*place.indices(len(self)))]
        if not 0 <= place < self.length:
            raise IndexError(place)
        sender, seq = self._message_id
        if place == 0:
            return delivered_up_to(sender, seq - 1)
        member, upcoming = self._members[place - 1], self._upcoming[place - 1]
        if member == sender and upcoming <= seq:
            # The sender's entry for itself can only repeat place 0.
            return delivered_up_to(sender, 0)
        return delivered_up_to(member, upcoming - 1)

    def asks_for_itself(self) -> bool:
        """Tell whether the vector puts the message after itself, or after a later one."""
        sender, seq = self._message_id
        at = -1
        for _ in range(self._members.count(sender)):
            at = self._members.index(sender, at + 1)
            if self._upcoming[at] > seq:
                return True
        return False

    def first_open(self, find: Callable[[str], Member | None], place: int) -> int:
        """Give the first place from `place` on that is not plainly met, or the length.

        Plainly met is what the delivered prefix covers with nothing skipped. A place that is not
        may still turn out to be met when it is judged.
        """
        sender, seq = self._message_id
        if place == 0:
            own = find(sender)
            if own is None or own.next < seq or own.skipped:
                return 0
            place = 1
        members, all_upcoming = self._members, self._upcoming
        if place > 1:
            members, all_upcoming = members[place - 1 :], all_upcoming[place - 1 :]
        for member_id, upcoming in zip(members, all_upcoming, strict=True):
            above = find(member_id)
            if above is None:
                if upcoming > 1:
                    return place
            elif above.next < upcoming or above.skipped:
                return place
            place += 1
        return place
