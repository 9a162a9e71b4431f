"""No order: a message is delivered when it is received."""

from ordering.requirement import Requirement
from ordering.values import Message


def requires(_message: Message) -> tuple[Requirement, ...]:
    """Require nothing."""
    return ()
