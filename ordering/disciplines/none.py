"""No order: a message is delivered when it is received. Duplicates are still dropped."""

from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.requirement import Requirement
from ordering.values import Message


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(requires)


def requires(_message: Message) -> tuple[Requirement, ...]:
    """Require nothing."""
    return ()
