"""Everything that one group's engine remembers, and the few questions that all parts ask of it."""

from collections.abc import Iterator
from operator import attrgetter
from typing import TYPE_CHECKING, TypeAlias

from ordering.covered import Covered
from ordering.events import Event
from ordering.frontier import Frontier
from ordering.member import MEMBERS, Label, Member, Node
from ordering.ordering_list import OrderingList
from ordering.policy import GiveUp, GroupPolicy
from ordering.recent import RecentDeliveries
from ordering.values import MemberId, MessageId, split_pid

if TYPE_CHECKING:
    from ordering.disciplines.discipline import Discipline

Deadline: TypeAlias = tuple[int, Label, int]
"""When something happens to a missing node, and the node's owner and seq."""

Roster: TypeAlias = tuple[list[Member], list[MemberId]]
"""Members who have sent something, and their pids: kept until someone comes or goes."""

BEGINNING_AT = -(2**62)
"""Before every instant: a group that has seen nothing yet."""


class GroupState:
    """The memory of one group."""

    __slots__ = (
        "_covered",
        "_names",
        "abandoned",
        "abandoned_by",
        "acknowledged",
        "captured",
        "deadlines",
        "delivered_through",
        "discipline",
        "frontiers",
        "gives_up",
        "held_count",
        "members",
        "now",
        "policy",
        "position",
        "preceding",
        "recent",
        "registered_count",
        "remembered_to",
        "retired",
        "roster",
        "settled_at",
        "strangers",
        "sweep_at",
        "uncounted",
        "unfolded",
        "untold",
    )

    def __init__(self, policy: GroupPolicy, discipline: "Discipline") -> None:
        self.policy = policy
        self.discipline = discipline
        self.gives_up = policy.give_up is not GiveUp.HOLD
        self.now = BEGINNING_AT
        self.position = 0
        """how many messages were delivered; the next one takes the next position"""
        self.members: dict[str, Member] = {}
        self._covered: Covered | None = None
        self.registered_count = 0
        """how many members have sent something"""
        self.roster: Roster | None = None
        self._names: dict[str, list[Member]] | None = None
        self.retired: dict[str, int] = {}
        """the highest incarnation of a name that is no longer remembered"""
        self.frontiers: dict[str, Frontier] = {}
        self.acknowledged: dict[str, dict[str, int]] = {}
        """by -> sender -> up to which seq `by` says it has the sender's: the matrix AL (causal)"""
        self.captured: dict[str, OrderingList] = {}
        """what was captured of the members of whom someone asked (objects)"""
        self.preceding: dict[tuple[str, ...], list[tuple[int, int, int]]] = {}
        """held messages by what they are, as heaps of (cid, iseq, seq) (objects)"""
        self.delivered_through: dict[str, int] = {}
        """the instant up to which all that a member sent has been delivered (significant)"""
        self.uncounted: dict[str, list[tuple[int, int]]] = {}
        """deliveries beyond a gap, as heaps of (seq, sent_at), for each member (significant)"""
        self.held_count = 0
        self.recent = RecentDeliveries(policy.limits)
        self.remembered_to = 0
        """how many events of the call under way `recent` has seen"""
        self.deadlines: list[Deadline] = []
        """a heap; entries whose gap is closed stay until they come up or the heap is swept"""
        self.sweep_at = 0
        """the size at which the heap is swept"""
        self.untold: list[tuple[Member | Frontier, int]] = []
        """gaps that opened at this very instant, and perhaps closed again, by owner and seq: a list
        of nodes would keep alive all that hangs from them"""
        self.settled_at = BEGINNING_AT
        """when gaps were last counted"""
        self.unfolded = 0
        """messages received since the loose deliveries were last folded"""
        self.abandoned: dict[MessageId, tuple[int, str]] = {}
        """given-up ids: when, and on whose account"""
        self.abandoned_by: dict[str, dict[MessageId, None]] = {}
        """the same ids, oldest first, for each account"""
        self.strangers: dict[str, int] = {}
        """names that have not sent anything and were given up as a whole, up to this seq; the id
        with that seq is among the abandoned ones, and both are forgotten together"""

    def member(self, pid: str) -> Member:
        """Give the member's record, making one for a name that is only waited for."""
        found = self.members.get(pid)
        if found is None:
            found = self.members[pid] = Member(MemberId(pid))
        return found

    @property
    def names(self) -> dict[str, list[Member]]:
        """The incarnations of a name that have sent something, in the order of their numbers.

        Asked for when someone comes; most restored groups never do.
        """
        if self._names is None:
            self._names = {}
            for one in self.members.values():
                if one.first_seen_at is not None:
                    self._names.setdefault(one.name, []).append(one)
            for incarnations in self._names.values():
                incarnations.sort(key=attrgetter("incarnation"))
        return self._names

    @property
    def covered(self) -> Covered:
        """What causal vectors are compared with first."""
        if self._covered is None:
            self._covered = Covered(self.members)
        return self._covered

    def seen(self) -> Roster:
        """Give those who have sent something, in the order in which a snapshot numbers them.

        By when they were first seen, not by when the state first heard of them: a member that was
        only waited for is forgotten by a snapshot, and must not leave a trace of where one was
        taken.
        """
        if self.roster is None:
            members = [one for one in self.members.values() if one.first_seen_at is not None]
            members.sort(key=attrgetter("first_seen_at", "pid"))
            self.roster = members, [one.pid for one in members]
        return self.roster

    def frontier(self, key: str) -> Frontier:
        """Give the frontier of this name, making it if nothing has touched it yet."""
        found = self.frontiers.get(key)
        if found is None:
            found = self.frontiers[key] = Frontier(key)
        return found

    def node(self, label: Label, seq: int) -> Node | None:
        """Give the node under this label and seq."""
        kind, key = label
        owner = self.members.get(key) if kind == MEMBERS else self.frontiers.get(key)
        return None if owner is None else owner.nodes.get(seq)

    def owners(self) -> Iterator[Member | Frontier]:
        """Give everyone who may have nodes."""
        yield from self.members.values()
        yield from self.frontiers.values()

    def is_retired(self, pid: str) -> bool:
        """Tell whether a pid is an incarnation so old that it is no longer remembered."""
        if not self.retired:
            return False
        name, incarnation = split_pid(pid)
        return incarnation <= self.retired.get(name, -1)

    def is_abandoned(self, message_id: MessageId) -> bool:
        """Tell whether this id has been given up and is still remembered."""
        found = self.abandoned.get(message_id)
        return found is not None and self.now - found[0] < self.policy.limits.abandoned_us

    def is_unusual(self) -> bool:
        """Tell whether something is remembered that only the careful way in looks at."""
        return bool(self.frontiers or self.uncounted or self.captured)

    def is_counting(self) -> bool:
        """Tell whether something is remembered that only disciplines that count keep."""
        return bool(self.acknowledged or self.captured or self.delivered_through or self.uncounted)

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
        self.forget_abandoned(message_id)
        if room == 0:
            return
        ids = self.abandoned_by.get(account, {})
        if len(ids) >= room:
            self.forget_abandoned(next(iter(ids)))
        self.abandoned_by.setdefault(account, {})[message_id] = None
        self.abandoned[message_id] = (self.now, account)

    def forget_abandoned(self, message_id: MessageId) -> None:
        """Forget that an id was given up; nothing happens if it was not."""
        found = self.abandoned.pop(message_id, None)
        if found is not None:
            ids = self.abandoned_by[found[1]]
            del ids[message_id]
            if not ids:
                del self.abandoned_by[found[1]]
            if self.strangers.get(message_id.sender) == message_id.seq:
                del self.strangers[message_id.sender]

    def given_up_of_stranger(self, pid: str) -> int:
        """Give the seq up to which a name that has not sent anything was given up, 0 for none."""
        seq = self.strangers.get(pid, 0)
        return seq if seq and self.is_abandoned(MessageId(MemberId(pid), seq)) else 0
