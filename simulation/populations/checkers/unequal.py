"""Unequal: after healing, two members that want everything do not have the same, or lost something.

- All living members that want everything have delivered the same set.
- What one of them has received all have: nothing that somebody could give stays away.
- What they delivered, the recorder (which heard everything) has recorded; and of what it has
  recorded they lack only what nobody who lives has received: the words of a crashed process
  that reached nobody, and what must follow those.
- They agree on who is in the group.
"""

from __future__ import annotations

from collections.abc import Iterator

from ordering.values import MessageId
from simulation.populations.checkers.broken import Broken, name_of, names_of
from simulation.populations.checkers.out_of_order import required_of
from simulation.populations.ledger import Said
from simulation.populations.node import GROUP, Node
from simulation.populations.world import Population

NAME = "unequal"


def check(population: Population) -> Iterator[Broken]:
    """Compare the living members with each other and with the recorder."""
    whole = population.whole()
    received = [_received(node) for node in whole]
    there = set().union(*received)
    deliverable = _deliverable(there, population)
    recorded = set(population.ledger.recorded)
    for node, had in zip(whole, received, strict=True):
        if there - had:
            yield Broken(NAME, node.name, f"lacks {names_of(there - had)}, which others have")
        delivered = set(node.life.delivered)
        if delivered != deliverable & had:
            odd = delivered ^ (deliverable & had)
            yield Broken(NAME, node.name, f"has received and not delivered {names_of(odd)}")
        if delivered - recorded:
            odd = delivered - recorded
            yield Broken(NAME, node.name, f"delivered {names_of(odd)}, not recorded")
        own = {one for one in recorded if one.sender in node.life.pids}
        for lost in sorted(own - there):
            yield Broken(NAME, node.name, f"lost its own message {name_of(lost)}")
    tables = {
        (frozenset(membership.group.current()), frozenset(membership.group.left()))
        for membership in (node.life.manager.memberships[GROUP] for node in population.living())
    }
    for node in population.living():
        absent = [current for current, _ in tables if node.pid not in current]
        if absent:
            yield Broken(NAME, node.name, "lives in the group and is not taken for a member")
    if len(tables) > 1:
        yield Broken(NAME, "all", f"there are {len(tables)} opinions on who is in the group")


def _received(node: Node) -> set[MessageId]:
    had = node.life.manager.memberships[GROUP].holdings.had
    return {
        MessageId(pid, seq)
        for pid, runs in had.items()
        for low, high in zip(runs[::2], runs[1::2], strict=True)
        for seq in range(low, high + 1)
    }


def _deliverable(there: set[MessageId], population: Population) -> set[MessageId]:
    """What can be delivered by those who have received all of `there` and no more."""
    said = population.ledger.said
    order = population.options.order
    done: set[MessageId] = set()
    waiting = {one for one in there if one in said}
    while True:
        ready = {one for one in waiting if _awaited(said[one], order) <= done}
        if not ready:
            return {one for one in done if not said[one].is_control}
        done |= ready
        waiting -= ready


def _awaited(said: Said, order: str) -> set[MessageId]:
    counted = said.counted if order == "causal" else frozenset()
    return required_of(said, order) | counted
