"""Which groups there are and who is in them: the papers' table of groups, merged without a server.

Of each name only the highest incarnation counts, and of one incarnation "left" is the last word:

    we know        they tell        we know then
    alice#1 in     alice#1 left     alice#1 left        she left
    alice#1 left   alice#1 in       alice#1 left        old news
    alice#1 left   alice#2 in       alice#2 in          she came back

So merging is taking the greater of two pairs (incarnation, is_left): any order, any repeats, any
path gives the same table, and a member that left can come back under its next incarnation.
"""

from enum import Enum
from typing import NamedTuple
from zlib import crc32

from members.limits import MemberLimits
from members.refusals import Refusal
from ordering.values import INCARNATION_MARK, GroupId, MemberId, split_pid


class Standing(Enum):
    """How this member stands to a group."""

    SEEN = "seen"
    JOINED = "joined"
    REFUSED = "refused"


class Order(NamedTuple):
    """How a group's messages are ordered: what its creator chose."""

    discipline: str
    acceptance: str


class Group:
    """One group, as far as it is known."""

    def __init__(self, group: GroupId, *, description: str, order: Order) -> None:
        self.group = group
        self.description = description
        self.order = order
        self.standing = Standing.SEEN
        self._names: dict[str, tuple[int, bool]] = {}
        self._maybe_digest: int | None = None

    def merge(self, pid: MemberId, *, is_left: bool, limit: int) -> Refusal | bool:
        """Take in one word about a member; tell whether it changed anything."""
        name, incarnation = split_pid(pid)
        told = (incarnation, is_left)
        known = self._names.get(name)
        if known is not None and told <= known:
            return False
        if known is None and len(self._names) >= limit:
            return Refusal.MEMBERS_FULL
        self._names[name] = told
        self._maybe_digest = None
        return True

    def incarnation_of(self, name: str) -> int:
        """Give the highest incarnation of a name that is known, 0 when there is none."""
        return self._names.get(name, (0, False))[0]

    def is_gone(self, pid: MemberId) -> bool:
        """Tell whether a member left, or came back under a later incarnation."""
        name, incarnation = split_pid(pid)
        return self._names.get(name, (0, False)) > (incarnation, False)

    def current(self) -> tuple[MemberId, ...]:
        """Give the members that are in the group."""
        return self._members(is_left=False)

    def left(self) -> tuple[MemberId, ...]:
        """Give the members that left."""
        return self._members(is_left=True)

    def _members(self, *, is_left: bool) -> tuple[MemberId, ...]:
        return tuple(
            MemberId(f"{name}{INCARNATION_MARK}{incarnation}")
            for name, (incarnation, has_left) in self._names.items()
            if has_left is is_left
        )

    def digest(self) -> int:
        """Sum up who is in the group and who left, the same at everyone who knows the same."""
        if self._maybe_digest is None:
            told = ",".join(
                f"{name}{INCARNATION_MARK}{incarnation}{'-' if has_left else '+'}"
                for name, (incarnation, has_left) in sorted(self._names.items())
            )
            self._maybe_digest = crc32(told.encode("utf-8"))
        return self._maybe_digest


class GroupTable:
    """All groups that are known."""

    def __init__(self, limits: MemberLimits) -> None:
        self._limits = limits
        self.groups: dict[GroupId, Group] = {}

    def learn(self, group: GroupId, *, description: str, order: Order) -> Group | Refusal:
        """Give the group's entry; one that was not known is entered if there is room."""
        known = self.groups.get(group)
        if known is not None:
            return known
        others = sum(one.standing is not Standing.JOINED for one in self.groups.values())
        if others >= self._limits.known_groups:
            return Refusal.GROUPS_FULL
        made = Group(group, description=description, order=order)
        self.groups[group] = made
        return made

    def forget_the_rest(self) -> None:
        """Forget every group that is not joined: after an advertisement they are told anew."""
        self.groups = {
            name: group for name, group in self.groups.items() if group.standing is Standing.JOINED
        }

    def joined(self) -> list[Group]:
        """Give the groups in which this member is."""
        return [group for group in self.groups.values() if group.standing is Standing.JOINED]
