"""The registry of disciplines: the one place where names meet functions."""

from collections.abc import Callable
from typing import Final, NamedTuple

from ordering.disciplines import fifo, none, semantic, semantic_fifo, stamped, total
from ordering.disciplines.discipline import Discipline
from ordering.errors import UnknownDiscipline
from ordering.policy import GroupPolicy
from ordering.receiving import Way, receive_by_parent, receive_carefully


class Registered(NamedTuple):
    """How to make a discipline for a policy, and the fastest way in for its messages."""

    make: Callable[[GroupPolicy], Discipline]
    way: Way = receive_carefully


DISCIPLINES: Final[dict[str, Registered]] = {
    "none": Registered(none.make),
    "fifo": Registered(fifo.make),
    "semantic": Registered(semantic.make, receive_by_parent),
    "semantic+fifo": Registered(semantic_fifo.make),
    "causal": Registered(stamped.make),
    "significant": Registered(stamped.make),
    "objects": Registered(stamped.make),
    "total": Registered(total.make),
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
