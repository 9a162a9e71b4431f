"""Counts what a traditional group protocol orders, and what of it the object protocol orders too.

Called by `objects_figures` with the requests of one run. Only two requests to the same object can
be delivered in the wrong order, so that these are the pairs that count:
- *traditional*: the sends are causally ordered at the network (vector clocks of the computers);
- *ordered*: besides, the ordering rule of the inter-object protocol holds for them.

Two ways to count:
- all pairs: every causally ordered pair. Grows with the square of the run: the longer it is, the
  more pairs lie so far apart that they are ordered for ever;
- direct pairs: those with no third request to that object between them. They are what a protocol
  has to enforce (the others follow), about one per request however long the run is.

    to one object:  a -> b -> c     all pairs: ab, bc, ac      direct pairs: ab, bc
"""

from __future__ import annotations

from operator import le
from typing import NamedTuple

from simulation.evaluation.objects_world import ConflictTable, Request


class Counts(NamedTuple):
    """Pairs that a traditional protocol orders, and those of them that this protocol orders.

    `same_sender` are the direct pairs that one object sent, perhaps from two of its threads.
    """

    direct: int = 0
    direct_ordered: int = 0
    same_sender: int = 0
    same_sender_ordered: int = 0
    pairs: int = 0
    pairs_ordered: int = 0

    def __add__(self, other: object) -> Counts:
        """Sums two counts field by field, over objects or over runs."""
        if not isinstance(other, Counts):
            return NotImplemented
        return Counts(*(one + two for one, two in zip(self, other, strict=True)))


NO_COUNTS = Counts()


def count_orderings(requests: list[Request], conflicts: ConflictTable) -> Counts:
    """The counts over all objects; `requests` in the order of sending."""
    by_destination: dict[int, list[Request]] = {}
    for request in requests:
        by_destination.setdefault(request.destination, []).append(request)
    total = NO_COUNTS
    for received in by_destination.values():
        for later in received:
            total = total + _count_one(later, received, conflicts)
    return total


def precedes_traditionally(earlier: Request, later: Request) -> bool:
    """Is the send of `earlier` causally before that of `later`, at the network?"""
    return (
        earlier.clock != later.clock
        and earlier.clock[earlier.computer] <= later.clock[earlier.computer]
    )


def precedes_by_rule(earlier: Request, later: Request, conflicts: ConflictTable) -> bool:
    """The ordering rule for two requests to one object."""
    sender = earlier.sender
    if sender == later.sender:
        return earlier.vector[sender] < later.vector[sender]
    return conflicts.conflict(later.destination, earlier.method, later.method) and all(
        map(le, earlier.vector, later.vector)
    )


def _count_one(later: Request, received: list[Request], conflicts: ConflictTable) -> Counts:
    before = [request for request in received if precedes_traditionally(request, later)]
    ordered = [request for request in before if precedes_by_rule(request, later, conflicts)]
    newest: dict[int, Request] = {}
    for request in before:
        newest[request.computer] = request
    direct = [
        request
        for request in newest.values()
        if not any(precedes_traditionally(request, other) for other in newest.values())
    ]
    direct_ordered = [r for r in direct if precedes_by_rule(r, later, conflicts)]
    return Counts(
        direct=len(direct),
        direct_ordered=len(direct_ordered),
        same_sender=sum(request.sender == later.sender for request in direct),
        same_sender_ordered=sum(request.sender == later.sender for request in direct_ordered),
        pairs=len(before),
        pairs_ordered=len(ordered),
    )
