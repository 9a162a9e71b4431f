"""The registry of disciplines: the one place where names meet functions."""

from collections.abc import Callable
from typing import Final, NamedTuple

from ordering.disciplines import fifo, none, semantic, semantic_fifo, stamped, total
from ordering.disciplines.discipline import Discipline
from ordering.errors import UnknownDiscipline
from ordering.policy import GroupPolicy
from ordering.receiving import Way, receive_carefully, receive_in_order_of_the_log
from ordering.receiving_by_count import receive_by_count
from ordering.receiving_by_parent import receive_by_parent


class Registered(NamedTuple):
    """How to make a discipline for a policy, and the fastest way in for its messages."""

    make: Callable[[GroupPolicy], Discipline]
    way: Way = receive_carefully


DISCIPLINES: Final[dict[str, Registered]] = {
    "none": Registered(none.make, receive_in_order_of_the_log),
    "fifo": Registered(fifo.make, receive_by_count),
    "semantic": Registered(semantic.make, receive_by_parent),
    "semantic+fifo": Registered(semantic_fifo.make, receive_by_count),
    "causal": Registered(stamped.make),
    "significant": Registered(stamped.make),
    "objects": Registered(stamped.make),
    "total": Registered(total.make, receive_in_order_of_the_log),
}


def names() -> tuple[str, ...]:
    """Give the names of all disciplines."""
    return tuple(DISCIPLINES)


def choose(policy: GroupPolicy) -> tuple[Discipline, Way]:
    """Give the discipline of a policy; an unknown name is the operator's fault."""
    found = DISCIPLINES.get(policy.discipline)
    if found is None:
        raise UnknownDiscipline(policy.discipline, known=names())
    discipline = found.make(policy)
    is_counted = policy.discipline == "causal" and discipline.reads_vectors
    return discipline, receive_by_count if is_counted else found.way
