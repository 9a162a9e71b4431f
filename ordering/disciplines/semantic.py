"""Semantic order (Sb): a message comes after the messages that it answers, and after no other."""

from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.requirement import Requirement
from ordering.values import Message


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(requires)


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require exactly the parents."""
    return message.parents
