"""Joining and leaving (GJLP): what is known of groups, and what others say about them.

    advertise ─> everybody tells of its groups, but for what another has told
    create, join, leave ─> whoever knows the group puts it down
    groups_info ─> merged into what is known; a group that is new is told to the program

`GroupManager` owns one and hands it every record of group management. A refused group is remembered
as such until this member advertises again, when all groups that it is not in are forgotten.
"""

from collections import Counter
from collections.abc import Mapping
from random import Random

from ingest.wire.envelope import Envelope
from ingest.wire.management import (
    EVERY_GROUP,
    Advertise,
    Create,
    GroupInfo,
    GroupsInfo,
    Leave,
    ManagementBody,
    check_group,
    decode_management,
)
from members import events as told
from members.errors import MemberError
from members.events import Effects
from members.group_table import Group, GroupTable, Order, Standing
from members.group_telling import GroupTelling
from members.limits import MemberLimits, Pace
from members.membership import Membership
from members.post import Post
from members.refusals import Refusal
from ordering.values import GroupId, MemberId


class GroupJoining:
    """All that one member knows of groups."""

    def __init__(
        self,
        pid: MemberId,
        memberships: Mapping[GroupId, Membership],
        *,
        post: Post,
        rng: Random,
        limits: MemberLimits,
        pace: Pace,
        refused: Counter[str],
    ) -> None:
        self._pid = pid
        self._memberships = memberships
        self._post = post
        self._limits = limits
        self._refused = refused
        self._table = GroupTable(limits)
        self._telling = GroupTelling(rng=rng, pace=pace)
        self._records = 0

    # What the manager asks for.

    def find(self, group: GroupId) -> Group | None:
        """Give what is known of a group."""
        return self._table.groups.get(group)

    def all(self) -> list[Group]:
        """Give every group that is known."""
        return list(self._table.groups.values())

    def enter(self, group: GroupId, *, description: str, order: Order) -> Group:
        """Be in a group from now on; one that was not known is entered."""
        entry = self._table.learn(group, description=description, order=order)
        if isinstance(entry, Refusal):
            raise MemberError(
                f"{self._limits.known_groups} groups are known already; advertise, which forgets"
                " those that are not joined"
            )
        entry.standing = Standing.JOINED
        return entry

    def leave(self, group: Group) -> None:
        """Be in a group no longer, and do not tell the program of it again."""
        group.standing = Standing.REFUSED
        self._telling.forget(group.group)

    def refuse(self, group: GroupId) -> None:
        """Do not tell the program of this group again until the next advertisement."""
        entry = self._table.groups.get(group)
        if entry is not None and entry.standing is Standing.SEEN:
            entry.standing = Standing.REFUSED

    def advertise(self, *, now: int) -> bytes:
        """Write an advertisement, and forget all groups that are not joined."""
        self._table.forget_the_rest()
        return self.record(EVERY_GROUP, self._pid, Advertise(), now=now)

    def record(self, group: GroupId, pid: MemberId, body: ManagementBody, *, now: int) -> bytes:
        """Write a record of group management."""
        self._records += 1
        return self._post.management(group, pid, body, seq=self._records, now=now)

    def put_right(self, group: Group, *, now: int) -> None:
        """Tell of a group soon: somebody knows other members of it."""
        self._telling.ask_for([group], now=now)

    def next_deadline(self) -> int | None:
        """Say when something is to be told next."""
        return self._telling.next_deadline()

    def advance(self, *, now: int, out: Effects) -> None:
        """Tell of the groups that are due."""
        for body in self._telling.due(self._table.groups, now=now):
            out.datagrams.append(self.record(EVERY_GROUP, self._pid, body, now=now))

    # What others say.

    def on_record(self, envelope: Envelope, *, now: int, out: Effects) -> None:
        """Take a record of group management. Raises WireError for one that is none."""
        body = decode_management(envelope.payload)
        if isinstance(body, Advertise):
            self._telling.ask_for(self._table.joined(), now=now)
        elif isinstance(body, GroupsInfo):
            for info in body.groups:
                self._on_info(info, out=out)
        elif isinstance(body, Create):
            self._on_create(envelope, body, out=out)
        else:
            entry = self._table.groups.get(check_group(envelope.group))
            if entry is not None:
                self._merge(entry, envelope.sender, is_left=isinstance(body, Leave), out=out)

    def _on_create(self, envelope: Envelope, body: Create, *, out: Effects) -> None:
        group = check_group(envelope.group)
        is_new = group not in self._table.groups
        order = Order(body.discipline, body.acceptance)
        entry = self._learn(group, description=body.description, order=order)
        if entry is not None:
            self._merge(entry, envelope.sender, is_left=False, out=out)
            if is_new:
                out.events.append(seen(entry))

    def _on_info(self, info: GroupInfo, *, out: Effects) -> None:
        group = GroupId(info.group)
        is_new = group not in self._table.groups
        order = Order(info.discipline, info.acceptance)
        entry = self._learn(group, description=info.description, order=order)
        if entry is None:
            return
        for pid in info.left:
            self._merge(entry, MemberId(pid), is_left=True, out=out)
        for pid in info.current:
            self._merge(entry, MemberId(pid), is_left=False, out=out)
        self._telling.heard(info, entry)
        if is_new:
            out.events.append(seen(entry))

    def _merge(self, entry: Group, pid: MemberId, *, is_left: bool, out: Effects) -> None:
        """Take in one word about a member, and tell the program if it is in the group too."""
        maybe_membership = self._memberships.get(entry.group)
        is_own = maybe_membership is not None and pid == maybe_membership.pid
        if is_own and is_left:
            return  # nobody else may say that this member left
        merged = entry.merge(pid, is_left=is_left, limit=self._limits.members_per_group)
        if isinstance(merged, Refusal):
            self._refused[merged] += 1
        elif merged and maybe_membership is not None and not is_own:
            kind = told.MemberLeft if is_left else told.MemberJoined
            out.events.append(kind(entry.group, pid))

    def _learn(self, group: GroupId, *, description: str, order: Order) -> Group | None:
        learned = self._table.learn(group, description=description, order=order)
        if isinstance(learned, Refusal):
            self._refused[learned] += 1
            return None
        return learned


def seen(group: Group) -> told.GroupSeen:
    """Give what a program is told of a group."""
    return told.GroupSeen(group.group, group.description, *group.order, group.current())
