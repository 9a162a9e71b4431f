"""Semantic order (Sb): a message comes after the messages that it answers, and after nothing
else."""

from ordering.requirement import Requirement
from ordering.values import Message


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require exactly the parents."""
    return message.parents
