"""The registry of disciplines: the one place where names meet functions."""

from collections.abc import Callable
from typing import NamedTuple

from ordering.disciplines import semantic, unordered
from ordering.disciplines.discipline import Discipline
from ordering.errors import UnknownDiscipline
from ordering.policy import GroupPolicy
from ordering.receiving import Way, receive_by_parent, receive_carefully


class Registered(NamedTuple):
    """How to make a discipline for a policy, and the fastest way in for its messages."""

    make: Callable[[GroupPolicy], Discipline]
    way: Way


DISCIPLINES: dict[str, Registered] = {
    "none": Registered(unordered.make, receive_carefully),
    "semantic": Registered(semantic.make, receive_by_parent),
}


def names() -> tuple[str, ...]:
    """Give the names of all disciplines."""
    return tuple(DISCIPLINES)


def choose(policy: GroupPolicy) -> tuple[Discipline, Way]:
    """Give the discipline of a policy; an unknown name is the operator's fault."""
    found = DISCIPLINES.get(policy.discipline)
    if found is None:
        raise UnknownDiscipline(policy.discipline, known=names())
    return found.make(policy), found.way
