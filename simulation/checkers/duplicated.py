"""Duplicated: an endpoint delivers one message id twice, or gives two deliveries one position.

Example. The network brings alice#1:1 twice. The engine says

    Delivered(1, alice#1:1)
    Delivered(2, alice#1:1)        <- duplicated: the second copy had to be called a Duplicate

Two contents under one id count as well: whichever came first is the message, the other is not to
be delivered at all, nor to be called a duplicate, which it is not: it has to be quarantined.

Positions go 1, 2, 3 ... without a repeat and without a hole, because readers drop repeats by
position: a position given twice would make them drop a message.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.violation import Violation, violation
from simulation.history import Entry
from simulation.ledger import Ledger
from simulation.options import Hostility
from simulation.policies import is_forgetful

NAME = "duplicated"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Compare every delivery with those before it. Called once per endpoint."""
    name = ledger.endpoint.history.name
    for number, delivery in enumerate(ledger.deliveries, start=1):
        slot = delivery.entry.slot
        if delivery.before >> slot & 1:
            sentence = f"{name(slot)} is delivered again at position {delivery.position}"
            yield violation(NAME, ledger=ledger, step=delivery.step, sentence=sentence)
        if delivery.position != number:
            sentence = (
                f"{name(slot)} is delivery number {number} and was given position "
                f"{delivery.position}"
            )
            yield violation(NAME, ledger=ledger, step=delivery.step, sentence=sentence)
    yield from _false_duplicates(ledger)


def _false_duplicates(ledger: Ledger) -> Iterator[Violation]:
    """What is called a duplicate must be held at that step, or delivered, with this very content.

    An engine whose window of recent deliveries has room for all of them can always tell; nothing
    is demanded of one that has forgotten some.
    """
    history = ledger.endpoint.history
    if is_forgetful(ledger.endpoint.policy):
        return
    for step, entry in ledger.duplicates:
        if entry.maybe_hostility is not Hostility.EQUIVOCATION:
            continue
        if not _stands(entry, ledger=ledger, step=step):
            sentence = f"{history.name(entry.slot)} has two contents and was called a duplicate"
            yield violation(NAME, ledger=ledger, step=step, sentence=sentence)


def _stands(entry: Entry, *, ledger: Ledger, step: int) -> bool:
    """Whether the id is held at this step, or was delivered by it, with the entry's content."""
    delivered = [one.entry for one in ledger.deliveries if one.step <= step]
    held = [
        one.entry
        for one in ledger.holdings
        if one.from_step <= step and (one.maybe_until_step is None or one.maybe_until_step >= step)
    ]
    return any(
        one.slot == entry.slot and one.message.content == entry.message.content
        for one in delivered + held
    )
