"""Out of order: a member delivers a message before something that it must follow, or twice.

What it must follow is the definition of the group's order, worked out from what was sent:

    semantic         the messages that it answers
    fifo             its sender's earlier messages
    semantic+fifo    both
    causal           everything that its sender had delivered when it spoke, and its earlier ones

A delivery must also say what was sent, under the id under which it was sent, at the next position.
"""

from __future__ import annotations

from collections.abc import Iterator

from members.events import Delivered
from ordering.values import MessageId
from simulation.populations.checkers.broken import Broken, name_of, names_of
from simulation.populations.ledger import Ledger, Said
from simulation.populations.node import Life, Node
from simulation.populations.world import Population

NAME = "out_of_order"


def check(population: Population) -> Iterator[Broken]:
    """Look at every delivery of every life of every member."""
    for node in population.nodes:
        for life in node.lives:
            yield from _check_life(node, life, population)


def _check_life(node: Node, life: Life, population: Population) -> Iterator[Broken]:
    ledger = population.ledger
    before: set[MessageId] = set()
    for place, (_, event) in enumerate(life.deliveries, start=1):
        maybe_fault = _fault(event, before, place=place, population=population, ledger=ledger)
        if maybe_fault is not None:
            yield Broken(NAME, node.name, maybe_fault)
        before.add(event.id)


def _fault(
    event: Delivered,
    before: set[MessageId],
    *,
    place: int,
    population: Population,
    ledger: Ledger,
) -> str | None:
    maybe_said = ledger.said.get(event.id)
    if maybe_said is None:
        return f"{name_of(event.id)} is delivered, and nobody sent it"
    if event.payload != maybe_said.payload:
        return f"{name_of(event.id)} is delivered with other content than was sent"
    if event.id in before:
        return f"{name_of(event.id)} is delivered twice"
    if event.position != place:
        return f"{name_of(event.id)} is at position {event.position}, and {place} is next"
    required = required_of(maybe_said, population.options.order)
    missing = {one for one in required - before if not _is_silent(one, ledger)}
    if missing:
        return f"{name_of(event.id)} is delivered before {names_of(missing)}"
    return None


def _is_silent(message_id: MessageId, ledger: Ledger) -> bool:
    """Whether a message is told to no program, because it only confirms."""
    maybe_said = ledger.said.get(message_id)
    return maybe_said is not None and maybe_said.is_control


def required_of(said: Said, discipline: str) -> set[MessageId]:
    """What must be delivered before a message."""
    sender, seq = said.id
    required: set[MessageId] = set()
    if "semantic" in discipline:
        required |= set(said.parents)
    if "fifo" in discipline or discipline == "causal":
        required |= {MessageId(sender, earlier) for earlier in range(1, seq)}
    if discipline == "causal":
        required |= said.before
    return required
