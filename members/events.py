"""What a member tells its program, and what it gives to be sent.

Every call of `GroupManager` gives one `Effects`: the datagrams that must go out, in this order, and
the events for the program, in this order. The host (`members.host`) multicasts the one and calls
back with the other.
"""

from typing import NamedTuple, TypeAlias

from ordering.events import NO_MARKS, Mark
from ordering.runs import Runs
from ordering.stamps import Stamps
from ordering.values import GroupId, MemberId, MessageId

Missing: TypeAlias = tuple[tuple[MemberId, tuple[int, ...]], ...]
"""Which seqs of which member, as runs: `(("alice#1", (3, 3, 7, 9)),)`."""


class Delivered(NamedTuple):
    """A message is delivered: everything that it must follow was delivered before."""

    group: GroupId
    id: MessageId
    parents: tuple[MessageId, ...]
    payload: bytes
    position: int
    """its place among this member's deliveries in the group"""
    sent_at: int
    marks: frozenset[Mark] = NO_MARKS
    stamps: Stamps | None = None
    """what its sender stamped on it, in a causal group or one of objects"""

    @property
    def text(self) -> str:
        """The payload as text; bytes that are none show as replacement characters."""
        return self.payload.decode("utf-8", "replace")


class GroupSeen(NamedTuple):
    """A group exists that the program has neither joined nor refused."""

    group: GroupId
    description: str
    discipline: str
    acceptance: str
    members: tuple[MemberId, ...]


class MemberJoined(NamedTuple):
    """Somebody is in a group of this member's, for the first time or again."""

    group: GroupId
    member: MemberId


class MemberLeft(NamedTuple):
    """Somebody left a group of this member's."""

    group: GroupId
    member: MemberId


class MemberFailed(NamedTuple):
    """Somebody owes a confirmation and is silent: nobody waits for it any longer."""

    group: GroupId
    member: MemberId


class Gap(NamedTuple):
    """These messages exist and stay away; they are being asked for."""

    group: GroupId
    missing: Missing


class Unanswered(NamedTuple):
    """Nobody gave these after several requests. The service's history may have them."""

    group: GroupId
    missing: Missing


class ArchiveRead(NamedTuple):
    """The service has given what it has of what was asked for, or can't."""

    group: GroupId
    messages: int
    """how many came from it"""
    problem: str = ""
    """why it could not answer, in a sentence; it is asked again"""


class Synchronised(NamedTuple):
    """Nothing is known to exist that this member wants and lacks."""

    group: GroupId


class NewIncarnation(NamedTuple):
    """The pid under which this member speaks in the group from now on.

    Told when a message under the old pid turned up that this process did not send.
    """

    group: GroupId
    member: MemberId


MemberEvent: TypeAlias = (
    Delivered
    | GroupSeen
    | MemberJoined
    | MemberLeft
    | MemberFailed
    | Gap
    | Unanswered
    | ArchiveRead
    | Synchronised
    | NewIncarnation
)


class Effects:
    """What a call leads to."""

    __slots__ = ("datagrams", "events", "maybe_sent")

    def __init__(self) -> None:
        self.datagrams: list[bytes] = []
        self.events: list[MemberEvent] = []
        self.maybe_sent: MessageId | None = None
        """the id of what `send` sent; None if it waits for the flow condition"""


def missing_of(needed: dict[MemberId, Runs]) -> Missing:
    """Write what is missing as a value."""
    return tuple((member, tuple(runs)) for member, runs in needed.items())
