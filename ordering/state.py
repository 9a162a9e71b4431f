"""Everything that one group's engine remembers, and the few questions that all parts ask of it."""

from collections.abc import Callable
from heapq import heappop
from typing import TypeAlias

from ordering.events import Event
from ordering.member import Member
from ordering.policy import GiveUp, GroupPolicy
from ordering.recent import RecentDeliveries
from ordering.requirement import Requirement
from ordering.values import MemberId, Message, MessageId

Requires: TypeAlias = Callable[[Message], tuple[Requirement, ...]]
"""A discipline: what must be met before the message can be delivered, in the order of asking."""

Deadline: TypeAlias = tuple[int, str, int]
"""When to give up, and the sender and seq of what is missing. Ties go by name, so that they fall
the same way on every machine."""

BEGINNING_AT = -(2**63)
"""Before every instant: a group that has seen nothing yet."""


class GroupState:
    """The memory of one group."""

    __slots__ = (
        "abandoned",
        "abandoned_by",
        "deadlines",
        "held_count",
        "members",
        "now",
        "policy",
        "position",
        "recent",
        "registered_count",
        "remembered_to",
        "requires",
        "sweep_at",
    )

    def __init__(self, policy: GroupPolicy, requires: Requires) -> None:
        self.policy = policy
        self.requires = requires
        self.now = BEGINNING_AT
        self.position = 0
        """how many messages were delivered; the next one takes the next position"""
        self.members: dict[str, Member] = {}
        self.registered_count = 0
        """how many members have sent something"""
        self.held_count = 0
        self.recent = RecentDeliveries(policy.limits)
        self.remembered_to = 0
        """how many events of the call under way `recent` has seen"""
        self.deadlines: list[Deadline] = []
        """a heap; entries whose gap is closed stay until they come up or the heap is swept"""
        self.sweep_at = 0
        """the size at which the heap is swept"""
        self.abandoned: dict[MessageId, tuple[int, str]] = {}
        """given-up ids: when, and on whose account"""
        self.abandoned_by: dict[str, dict[MessageId, None]] = {}
        """the same ids, oldest first, for each account"""

    @property
    def gives_up(self) -> bool:
        """Tell whether this group ever gives up."""
        return self.policy.give_up is not GiveUp.HOLD

    def member(self, pid: str) -> Member:
        """Give the member's record, making one for a name that is only waited for."""
        found = self.members.get(pid)
        if found is None:
            found = self.members[pid] = Member(MemberId(pid))
        return found

    def is_delivered(self, sender: str, seq: int) -> bool:
        """Tell whether this id has been delivered."""
        member = self.members.get(sender)
        return member is not None and member.contains(seq)

    def is_abandoned(self, message_id: MessageId) -> bool:
        """Tell whether this id has been given up and is still remembered."""
        found = self.abandoned.get(message_id)
        return found is not None and self.now - found[0] < self.policy.limits.abandoned_us

    def drop_first_deadline(self) -> None:
        """Take the earliest deadline off the heap."""
        heappop(self.deadlines)

    def remember(self, events: list[Event]) -> None:
        """Show `recent` the events of the call under way that it has not seen."""
        self.recent.extend(events, first=self.remembered_to, now=self.now)
        self.remembered_to = len(events)

    def abandon(self, message_id: MessageId, *, account: str) -> None:
        """Remember an id as given up, on the account of the sender who waited for it first.

        Each account has its own room, so that a sender who names ids that do not exist makes the
        group forget only what that sender waited for.
        """
        room = self.policy.limits.abandoned_per_sender
        if room == 0 or message_id in self.abandoned:
            return
        ids = self.abandoned_by.setdefault(account, {})
        if len(ids) >= room:
            self.forget_abandoned(next(iter(ids)))
            ids = self.abandoned_by.setdefault(account, {})
        ids[message_id] = None
        self.abandoned[message_id] = (self.now, account)

    def forget_abandoned(self, message_id: MessageId) -> None:
        """Forget that an id was given up; nothing happens if it was not."""
        found = self.abandoned.pop(message_id, None)
        if found is not None:
            ids = self.abandoned_by[found[1]]
            del ids[message_id]
            if not ids:
                del self.abandoned_by[found[1]]
