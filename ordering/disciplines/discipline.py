"""What a discipline is: a few small functions and one word about how it counts."""

from collections.abc import Callable
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ordering.member import Node
from ordering.requirement import Requirement, UpTo
from ordering.values import Message

if TYPE_CHECKING:
    from ordering.state import GroupState

Requires: TypeAlias = Callable[[Message], tuple[Requirement, ...]]
"""What must be met before the message can be delivered, in the order of asking."""

Reached: TypeAlias = list[tuple[str, int]]
"""Frontiers that have moved, by key, and how far."""

Note: TypeAlias = Callable[["GroupState", Message], Reached]
"""What a received or delivered message tells about frontiers."""

FirstPreceding: TypeAlias = Callable[["GroupState", UpTo, Message], int | None]
"""The seq of a held message that must be delivered first by the discipline's own rule, or None."""


def tells_nothing(_state: "GroupState", _message: Message) -> Reached:
    """Move no frontier."""
    return []


def nothing_precedes(_state: "GroupState", _required: UpTo, _message: Message) -> int | None:
    """Find nothing: the discipline has no rule of its own."""
    return None


def keep_no_index(_state: "GroupState", _node: Node) -> None:
    """Note nothing about a held message."""


class Discipline(NamedTuple):
    """How a group decides. All but `requires` have a plain default."""

    requires: Requires
    on_received: Note = tells_nothing
    on_delivered: Note = tells_nothing
    on_held: Callable[["GroupState", Node], None] = keep_no_index
    first_preceding: FirstPreceding = nothing_precedes
    vector_width: Callable[[Message], int] = lambda message: len(message.parents)
    """how many entries the message's longest vector has"""
