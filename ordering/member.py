"""One member as a group's engine knows it: what was delivered of it, what is held, who waits."""

from typing import Any, Final, TypeAlias

from ordering.ordering_list import OrderingList
from ordering.requirement import Requirement
from ordering.values import MemberId, Message

NEVER_FAST: Final = -1
"""A ceiling below every seq: each message of such a member is looked at closely."""

# A node stands for one id that is waited for. It is a plain list, because one is made for every gap
# and a list literal costs a fifth of an object: [since_at, shortcut, requirement, entry, entry,
# ...].
Node: TypeAlias = list[Any]
SINCE_AT: Final = 0
"""since when it has been missing; None when the id has been received"""
SHORTCUT: Final = 1
"""a node further down the chain that this one hangs from (see chains.py), or None"""
REQUIREMENT: Final = 2
"""the requirement as its first waiter stated it"""
ENTRIES: Final = 3
"""from here on: the held messages that wait for the id, in the order in which they came to wait"""


class Progress:
    """How far a held message with several requirements has come. Single parents need none."""

    __slots__ = ("held_at", "is_orphan", "requirements", "step", "target")

    def __init__(
        self, requirements: tuple[Requirement, ...], *, step: int, held_at: int, is_orphan: bool
    ) -> None:
        self.requirements = requirements
        self.step = step
        self.held_at = held_at
        self.is_orphan = is_orphan
        self.target: tuple[str, int] | None = None
        """the sender and seq at whose node it waits; None while it waits for a frontier"""


class Member(OrderingList):
    """A sender, or a name that someone waits for and that has not sent anything yet."""

    __slots__ = ("ceiling", "first_seen_at", "held", "pid", "waiting")

    def __init__(self, pid: MemberId) -> None:
        super().__init__()
        self.pid = pid
        self.ceiling = NEVER_FAST
        """the highest seq that needs no closer look; NEVER_FAST until the member has sent"""
        self.first_seen_at: int | None = None
        """None until the member has sent something"""
        self.held: dict[int, Entry] = {}
        self.waiting: dict[int, Node] = {}
        """seq -> who waits for it, whether it is held or missing"""


Entry: TypeAlias = tuple[Message, Member, int, Progress | None]
"""A held message with its sender's record and its seq, so that waking it looks up nothing."""
