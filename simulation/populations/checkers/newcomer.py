"""Newcomer: a late joiner did not get what its policy promises.

    all       everything (that is `unequal`'s to check)
    now       every message that is sent after it was synchronised
    last n    the same, and at least the n last messages that everybody had when it came
    thread    the same, and every message of the thread that everybody had when it came

"Everybody" are the members that live at the end. Who joins in a partition gets the last messages or
the thread of its own side, and may ask again; so these two are checked where there was none. Causal
and fifo messages count all that came before them, so there every policy brings what is counted.
"""

from __future__ import annotations

from collections.abc import Iterator

from ordering.values import MessageId
from simulation.populations.checkers.broken import Broken, names_of
from simulation.populations.ledger import Ledger
from simulation.populations.node import LAST_MESSAGES, Life, Node
from simulation.populations.options import Newcomer
from simulation.populations.world import Population

NAME = "newcomer"


def check(population: Population) -> Iterator[Broken]:
    """Look at every newcomer that lives."""
    whole = population.whole()
    if not whole:
        return
    there = set.intersection(*(set(node.life.delivered) for node in whole))
    for node in population.living():
        if node.life.newcomer is Newcomer.ALL:
            continue
        yield from _check_node(node, there, population)


def _check_node(node: Node, there: set[MessageId], population: Population) -> Iterator[Broken]:
    life, said = node.life, population.ledger.said
    delivered = set(life.delivered)
    if life.maybe_synchronised_at is None:
        return
    later = {one for one in there if said[one].sent_at > life.maybe_synchronised_at}
    if later - delivered:
        yield Broken(NAME, node.name, f"did not get {names_of(later - delivered)}, sent later")
    if population.options.partitions:
        return
    early = _early(life, there, population)
    if life.newcomer is Newcomer.LAST:
        got = len({one for one in delivered if said[one].sent_at <= life.maybe_synchronised_at})
        if got < min(LAST_MESSAGES, len(early)):
            yield Broken(NAME, node.name, f"wanted the last {LAST_MESSAGES} and got {got}")
    if life.newcomer is Newcomer.THREAD and life.maybe_thread is not None:
        wanted = _thread(life.maybe_thread, early, population.ledger)
        if wanted - delivered:
            yield Broken(NAME, node.name, f"did not get {names_of(wanted - delivered)} of a thread")


def _early(life: Life, there: set[MessageId], population: Population) -> set[MessageId]:
    """What everybody had delivered when it came."""
    early = set(there)
    for node in population.whole():
        early &= {event.id for at, event in node.life.deliveries if at < life.began_at}
    return early


def _thread(root: MessageId, among: set[MessageId], ledger: Ledger) -> set[MessageId]:
    """A message and all that answers it, directly or not."""
    found = {root} & among
    grew = bool(found)
    while grew:
        fresh = {one for one in among if one not in found and found & set(ledger.said[one].parents)}
        found |= fresh
        grew = bool(fresh)
    return found
