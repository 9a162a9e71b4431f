"""One member as a group's engine knows it: what was delivered of it, what is held, who waits."""

from collections.abc import Sequence
from typing import Any, Final, TypeAlias

from ordering.ordering_list import OrderingList
from ordering.requirement import Measure, Requirement, UpTo
from ordering.values import MemberId, MessageId, name_of, split_pid

NEVER_FAST: Final = -1
"""A ceiling below every seq: each message of such a member is looked at closely."""

Label: TypeAlias = tuple[int, str]
"""Names whoever has nodes, members first, so that ties between deadlines fall the same way on every
machine, and a member whose pid looks like a frontier's key is still told apart."""
MEMBERS: Final = 0
FRONTIERS: Final = 1

# A node stands for one id that is held, or missing and waited for. It is a plain list, because one
# is made for nearly every message that comes out of order, and a list costs a third of an object:
#
#     [since_at, message, owner, seq, children, shortcut, details]
Node: TypeAlias = list[Any]
SINCE_AT: Final = 0
"""since when it has been missing; RECEIVED when it is held; DEAD when it is neither any more"""
MESSAGE: Final = 1
"""the held message; None while it is missing"""
OWNER: Final = 2
"""the member (or frontier) in whose `nodes` it is"""
SEQ: Final = 3
"""its key there"""
CHILDREN: Final = 4
"""who waits here, the last to come first: None, one node, or `(last, (last but one, first))`.
Mostly there is one, and this is the order in which a depth-first stack takes them"""
SHORTCUT: Final = 5
"""for a held message, a node further down the chain that it hangs from (see chains.py), or None"""
TOLD: Final = SHORTCUT
"""for something missing, True once its gap was told; nothing that is missing has a shortcut"""
DETAILS: Final = 6
"""for a held message with several requirements, its Progress; for something missing that is not
just an id, the requirement as its first waiter stated it; else None"""

RECEIVED: Final = None
DEAD: Final = object()


def children_of(node: Node) -> list[Node]:
    """List who waits at a node, in the order of coming to wait."""
    children: list[Node] = []
    push_children(node, children)
    children.reverse()
    return children


def push_children(node: Node, stack: list[Node]) -> None:
    """Put a node's children on a stack so that the first to come is the first to be taken."""
    cell = node[CHILDREN]
    while cell.__class__ is tuple:
        child, cell = cell
        stack.append(child)
    if cell is not None:
        stack.append(cell)


def let_go(node: Node, stack: list[Node]) -> None:
    """Mark a node dead and put its children on a stack.

    It keeps none of them: they may point back at it, and a circle would stay in memory until the
    interpreter searched for it.
    """
    node[SINCE_AT] = DEAD
    push_children(node, stack)
    node[CHILDREN] = None


def add_child(node: Node, child: Node) -> None:
    """Let one more held message wait at a node."""
    cell = node[CHILDREN]
    node[CHILDREN] = child if cell is None else (child, cell)


class Progress:
    """How far a held message with several requirements has come."""

    __slots__ = ("given_up", "held_at", "requirements", "step", "target")

    def __init__(self, requirements: Sequence[Requirement], *, step: int, held_at: int) -> None:
        self.requirements = requirements
        self.step = step
        self.held_at = held_at
        self.given_up: list[Requirement] = []
        """what it goes on without; if it comes before the message is delivered, nothing is amiss"""
        self.target: Node | None = None
        """the node at which it waits"""

    def stated(self, requirement: Requirement) -> Requirement:
        """Give a requirement as people are told of it, while the message waits for it.

        What precedes by a rule of its own may be numbered beyond what the message counts.
        """
        if isinstance(requirement, UpTo) and requirement.measure is Measure.PRECEDING:
            seq = requirement.seq if self.target is None else self.target[SEQ]
            return requirement._replace(seq=max(seq, requirement.seq))
        return requirement


def progress_of(node: Node) -> Progress | None:
    """Give how far a held message has come; None for a single parent."""
    progress: Progress | None = node[DETAILS]
    return progress


def requirement_of(node: Node) -> Requirement:
    """Give what a missing node stands for: what its first waiter stated, or simply its id."""
    stated: Requirement | None = node[DETAILS]
    # Half the cost of calling MessageId, and called for every gap that is told.
    return tuple.__new__(MessageId, (node[OWNER].pid, node[SEQ])) if stated is None else stated


class Member(OrderingList):
    """A sender, or a name that someone waits for and that has not sent anything yet."""

    __slots__ = (
        "ceiling",
        "first_seen_at",
        "held_count",
        "highest_seen",
        "name",
        "nodes",
        "pid",
    )

    def __init__(self, pid: MemberId) -> None:
        super().__init__()
        self.pid = pid
        self.name = name_of(pid)
        self.ceiling = NEVER_FAST
        """the highest seq that needs no closer look; NEVER_FAST until the member has sent"""
        self.first_seen_at: int | None = None
        """None until the member has sent something"""
        self.highest_seen = 0
        """the highest seq received, as far as it was counted: `highest_received` looks further"""
        self.held_count = 0
        self.nodes: dict[int, Node] = {}
        """seq -> its node, while it is held or missing and waited for"""

    @property
    def label(self) -> Label:
        """What names it among all who have nodes."""
        return MEMBERS, self.pid

    @property
    def incarnation(self) -> int:
        """Which of those that had its name it is; asked for only where there are several."""
        return split_pid(self.pid)[1]

    def highest_received(self) -> int:
        """Give the highest seq that was ever delivered, skipped or held, 0 when there is none."""
        highest = max(self.highest_seen, self.highest())
        for seq, node in self.nodes.items():
            if seq > highest and node[MESSAGE] is not None:
                highest = seq
        return highest

    def release(self, seq: int) -> None:
        """Note that a held message goes without being delivered; that it was here is remembered."""
        self.held_count -= 1
        self.highest_seen = max(self.highest_seen, seq)
