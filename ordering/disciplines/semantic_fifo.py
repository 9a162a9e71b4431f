"""Semantic order and first in, first out: after its parents, and after its sender's earlier
ones."""

from ordering.disciplines import fifo
from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.requirement import Requirement
from ordering.values import Message


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(requires, counts=True)


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require the parents, and everything that the sender sent before."""
    return (*message.parents, *fifo.requires(message))
