"""Semantic order and first in, first out: after its parents, and after its sender's earlier
ones."""

from ordering.disciplines import fifo
from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.requirement import Requirement, UpTo
from ordering.values import Message


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(requires, counts=True, reads_parents=True)


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require the parents, and everything that the sender sent before.

    Who answers a later message of its own comes after itself: that message comes after this one.
    """
    sender, seq = message.id
    later = [
        UpTo(sender, parent.seq)
        for parent in message.parents
        if parent.sender == sender and parent.seq > seq
    ]
    return (*later, *message.parents, *fifo.requires(message))
