"""One member as a group's engine knows it: what was delivered of it, what is held, who waits."""

from typing import Any, Final, TypeAlias

from ordering.ordering_list import OrderingList
from ordering.requirement import Requirement
from ordering.values import MemberId

NEVER_FAST: Final = -1
"""A ceiling below every seq: each message of such a member is looked at closely."""

# A node stands for one id that is held, or missing and waited for. It is a plain list, because one
# is made for nearly every message that comes out of order, and a list costs a third of an object:
#
#     [since_at, shortcut, requirement, message, owner, seq, progress, node, node, ...]
Node: TypeAlias = list[Any]
SINCE_AT: Final = 0
"""since when it has been missing; RECEIVED when it is held; DEAD when it is neither any more"""
SHORTCUT: Final = 1
"""a node further down the chain that this one hangs from (see chains.py), or None"""
REQUIREMENT: Final = 2
"""the requirement as its first waiter stated it, while it is missing"""
MESSAGE: Final = 3
"""the held message; None while it is missing"""
OWNER: Final = 4
"""the member (or frontier) in whose `nodes` it is"""
SEQ: Final = 5
"""its key there"""
PROGRESS: Final = 6
"""how far a held message with several requirements has come; None for a single parent"""
CHILDREN: Final = 7
"""from here on: the nodes of the held messages that wait here, in the order of coming to wait"""

LAST_FIELD: Final = CHILDREN - 1
"""`node[:LAST_FIELD:-1]` is a node's children, last first: what a depth-first stack takes"""

RECEIVED: Final = None
DEAD: Final = object()


class Progress:
    """How far a held message with several requirements has come."""

    __slots__ = ("given_up", "held_at", "requirements", "step", "target")

    def __init__(self, requirements: tuple[Requirement, ...], *, step: int, held_at: int) -> None:
        self.requirements = requirements
        self.step = step
        self.held_at = held_at
        self.given_up: list[Requirement] = []
        """what it goes on without; if it comes before the message is delivered, nothing is amiss"""
        self.target: Node | None = None
        """the node at which it waits"""


class Member(OrderingList):
    """A sender, or a name that someone waits for and that has not sent anything yet."""

    __slots__ = (
        "ceiling",
        "first_seen_at",
        "held_count",
        "highest_seen",
        "incarnation",
        "name",
        "nodes",
        "pid",
    )

    def __init__(self, pid: MemberId, *, name: str, incarnation: int) -> None:
        super().__init__()
        self.pid = pid
        self.name = name
        self.incarnation = incarnation
        self.ceiling = NEVER_FAST
        """the highest seq that needs no closer look; NEVER_FAST until the member has sent"""
        self.first_seen_at: int | None = None
        """None until the member has sent something"""
        self.highest_seen = 0
        """the highest seq received, as far as it was counted; exact for older incarnations only"""
        self.held_count = 0
        self.nodes: dict[int, Node] = {}
        """seq -> its node, while it is held or missing and waited for"""

    def highest_received(self) -> int:
        """Give the highest seq delivered, skipped or held, 0 when there is none."""
        held = (seq for seq, node in self.nodes.items() if node[MESSAGE] is not None)
        return max(self.highest(), max(held, default=0))

    def has_received(self, seq: int) -> bool:
        """Tell whether this seq was delivered or is held."""
        node = self.nodes.get(seq)
        return self.contains(seq) or (node is not None and node[MESSAGE] is not None)
