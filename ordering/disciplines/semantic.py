"""Semantic order (Sb): a message comes after the messages that it answers, and after no other."""

from typing import Final

from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.requirement import Requirement
from ordering.values import Message


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require exactly the parents."""
    return message.parents


_SEMANTIC: Final = Discipline(requires)


def make(_policy: GroupPolicy) -> Discipline:
    """Give the discipline; it has no settings, so there is one for all groups."""
    return _SEMANTIC
