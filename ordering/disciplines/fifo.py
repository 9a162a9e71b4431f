"""First in, first out: a sender's messages are delivered in the order in which it sent them."""

from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy
from ordering.requirement import Requirement, UpTo
from ordering.values import Message


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(requires, counts=True)


def requires(message: Message) -> tuple[Requirement, ...]:
    """Require everything that the sender sent before."""
    sender, seq = message.id
    return (UpTo(sender, seq - 1),) if seq > 1 else ()
