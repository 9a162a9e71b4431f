"""The registry of disciplines: the one place where names meet functions."""

from typing import NamedTuple

from ordering.disciplines import semantic, unordered
from ordering.errors import UnknownDiscipline
from ordering.policy import GroupPolicy
from ordering.receiving import Way, receive_by_parent, receive_carefully
from ordering.state import Requires


class Discipline(NamedTuple):
    """How a group of one discipline decides: what messages require, and the fastest way in."""

    requires: Requires
    way: Way


DISCIPLINES: dict[str, Discipline] = {
    "none": Discipline(unordered.requires, receive_carefully),
    "semantic": Discipline(semantic.requires, receive_by_parent),
}


def names() -> tuple[str, ...]:
    """Give the names of all disciplines."""
    return tuple(DISCIPLINES)


def choose(policy: GroupPolicy) -> Discipline:
    """Give the discipline of a policy; an unknown name is the operator's fault."""
    found = DISCIPLINES.get(policy.discipline)
    if found is None:
        raise UnknownDiscipline(policy.discipline, known=names())
    return found
