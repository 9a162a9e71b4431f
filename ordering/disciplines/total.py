"""Total order: the order of the log is the order, the same for every consumer of the group.

The log already puts the messages of a group in one order, and positions number it, so nothing ever
waits. What a consumer may rely on is the position: position n is the same message for everyone, on
every replay. It says nothing about causes; choose `causal` where those count.
"""

from ordering.disciplines import none
from ordering.disciplines.discipline import Discipline
from ordering.policy import GroupPolicy


def make(_policy: GroupPolicy) -> Discipline:
    """Make the discipline; it has no settings."""
    return Discipline(none.requires)
