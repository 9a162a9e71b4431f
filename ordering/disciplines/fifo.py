"""First in, first out: a sender's messages are delivered in the order in which it sent them."""

from ordering.counted import Counted
from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.values import Message


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(requires, counts=True)


def requires(message: Message) -> Counted:
    """Require everything that the sender sent before."""
    return Counted(message.id, (), ())
