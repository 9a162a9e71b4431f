"""What a discipline is: a few small functions and one word about how it counts."""

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from ordering.events import Reason
from ordering.member import Node
from ordering.requirement import Requirement, UpTo
from ordering.values import Message

if TYPE_CHECKING:
    from ordering.state import GroupState

Requires: TypeAlias = Callable[[Message], Sequence[Requirement]]
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


def keeps_nothing(_state: "GroupState", _node: Node) -> None:
    """Note nothing about a held message."""


def nothing_precedes(_state: "GroupState", _required: UpTo, _message: Message) -> int | None:
    """Find nothing: the discipline has no rule of its own."""
    return None


def is_faultless(_message: Message, _widest: int) -> Reason | None:
    """Find no fault: the discipline reads no stamps."""
    return None


class Discipline(NamedTuple):
    """How a group decides. All but `requires` have a plain default."""

    requires: Requires
    counts: bool = False
    """whether messages count a sender *up to* a number, so that what is given up must be skipped"""
    reads_vectors: bool = False
    """whether a message's causal vector counts"""
    reads_parents: bool = False
    """whether a message comes after its parents, besides what it counts"""
    on_received: Note = tells_nothing
    """called when a message was accepted: delivered or held"""
    on_delivered: Note = tells_nothing
    on_held: Callable[["GroupState", Node], None] = keeps_nothing
    first_preceding: FirstPreceding = nothing_precedes
    fault: Callable[[Message, int], Reason | None] = is_faultless
    """what is wrong with a message's stamps, given how wide a vector may be"""
