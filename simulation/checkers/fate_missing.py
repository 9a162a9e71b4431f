"""Fate missing: a received message without exactly one fate.

Every message that is handed over is delivered, held, quarantined or called a duplicate, there and
then. A held one is later delivered or quarantined, once, or is held still. Nothing else gets a
fate: an engine that speaks of a message nobody gave it has made it up.

Example. The engine is handed alice#1:1 and answers with no event at all: fate missing. It is handed
bob#1:1, holds it, and is later asked how many it holds: 0, though it never said what became of
bob#1:1: fate missing.

The counts that the engine keeps of itself (`held_count`, `delivered_count`, `missing`) must agree
with what it said.
"""

from __future__ import annotations

from collections.abc import Iterator

from ordering.events import Delivered, Duplicate, Held, Quarantined
from simulation.checkers.violation import Violation, violation
from simulation.definitions.plain import BY_ID
from simulation.ledger import Ledger
from simulation.patience import ancestry

NAME = "fate_missing"

FATES = (Delivered, Held, Quarantined, Duplicate)


def check(ledger: Ledger) -> Iterator[Violation]:
    """Count the fates of every message that was handed over. Called once per endpoint."""
    yield from _fates_when_handed_over(ledger)
    yield from _fates_of_strangers(ledger)
    yield from _held_for_ever(ledger)
    yield from _figures(ledger)


def _fates_when_handed_over(ledger: Ledger) -> Iterator[Violation]:
    """One fate per copy; a copy that was held until this very step may get its own here too."""
    history = ledger.endpoint.history
    for number, step in enumerate(ledger.endpoint.steps):
        index = step.entry_index
        if index < 0:
            continue
        fates = [
            type(event).__name__
            for event in step.events
            if isinstance(event, FATES) and event.message.origin[0] == index
        ]
        settled = len(fates) - fates.count("Held")
        if (number, index) in ledger.freed:
            settled -= 1
        if not fates or settled > 1:
            name = history.name(history.entries[index].slot)
            sentence = f"{name} was handed over and given {len(fates)} fates ({', '.join(fates)})"
            yield violation(NAME, ledger=ledger, step=number, sentence=sentence)


def _fates_of_strangers(ledger: Ledger) -> Iterator[Violation]:
    history = ledger.endpoint.history
    handed_at = ledger.handed_at
    for delivery in ledger.deliveries:
        handed = handed_at.get(delivery.entry.number)
        if handed is None or handed > delivery.step:
            sentence = f"{history.name(delivery.entry.slot)} is delivered and was never handed over"
            yield violation(NAME, ledger=ledger, step=delivery.step, sentence=sentence)


def _held_for_ever(ledger: Ledger) -> Iterator[Violation]:
    """A message that hangs from itself can never be delivered, so it may not be held either.

    As long as it hangs from something that is not held (it has not come, or was refused) or that
    needs somebody's word, it waits for that. Where messages wait for instants, time frees them
    from such a ring.
    """
    history = ledger.endpoint.history
    if ledger.endpoint.options.discipline not in BY_ID:
        return
    held = {entry.slot: (entry,) for entry in ledger.held}
    here = sum(1 << entry.slot for entry in ledger.held if not entry.confirmers)
    for entry in ledger.held:
        if entry.maybe_hostility is None:
            continue
        above = ancestry(entry, contents=held) & ~ledger.delivered
        if above >> entry.slot & 1 and not above & ~here:
            last = len(ledger.endpoint.steps) - 1
            name = history.name(entry.slot)
            sentence = f"{name} hangs from itself and is held: its fate can never come"
            yield violation(NAME, ledger=ledger, step=last, sentence=sentence)


def _figures(ledger: Ledger) -> Iterator[Violation]:
    engine = ledger.endpoint.engine
    last = len(ledger.endpoint.steps) - 1
    held = len(ledger.held)
    delivered = len(ledger.deliveries)
    waiting = sum(missing.waiting for missing in engine.missing())
    for name, counted, kept in (
        ("held_count", held, engine.held_count),
        ("delivered_count", delivered, engine.delivered_count),
        ("missing, summed up", held, waiting),
    ):
        if counted != kept:
            sentence = f"the events leave {counted} and the engine says {name} = {kept}"
            yield violation(NAME, ledger=ledger, step=last, sentence=sentence)
