"""Untrue reason: a held message names something that it does not wait for, or that is here.

"What exactly is each held message waiting for?" is what people ask Precede. So an answer that sends
them looking for the wrong thing breaks a promise, even if the order is right in the end.

Example, semantic order. carol#1:1 answers bob#1:1, which answers alice#1:1, which is lost.

    Held(carol#1:1, waiting for alice#1:1)       untrue: it answers bob#1:1
    why(carol#1:1) = carol#1:1 -> bob#1:1 -> alice#1:1 missing        true, once bob#1:1 is held

What was named must be required by the message, by the definition of the order, and not be
delivered. A chain must start at the message, each link at what the link before named, and end at
something that was never handed over.
"""

from __future__ import annotations

from collections.abc import Iterator

from ordering.requirement import Measure, Requirement, UpTo, Why
from ordering.values import MessageId
from simulation.checkers.differences import named
from simulation.checkers.violation import Violation, violation
from simulation.history import Entry, History, slots_in
from simulation.ledger import Ledger

NAME = "untrue_reason"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Compare what held messages say they wait for with what they require."""
    history = ledger.endpoint.history
    for wait in ledger.waits:
        if not waits_for(wait.entry, wait.waiting_for, history=history, delivered=wait.before):
            name, what = history.name(wait.entry.slot), named(wait.waiting_for)
            sentence = f"{name} says it waits for {what}"
            yield violation(NAME, ledger=ledger, step=wait.step, sentence=sentence)
    yield from _chains(ledger)


def waits_for(entry: Entry, what: Requirement, *, history: History, delivered: int) -> bool:
    """Whether the definition lets this message wait for this, given what is delivered."""
    missing = entry.awaits & ~delivered
    if not isinstance(what, UpTo):
        return bool(missing >> history.slot_of(what) & 1)
    if what.measure is Measure.ACKNOWLEDGED:
        return what.by in entry.confirmers
    if what.measure in (Measure.DELIVERED, Measure.CAPTURED):
        counted = history.earlier_of(MessageId(what.sender, what.seq + 1))
        return bool(counted & (missing if what.measure is Measure.DELIVERED else entry.captures))
    # What is counted is an instant, or how far to look: no count of the sender's messages.
    return any(history.ids[slot].sender == what.sender for slot in slots_in(missing))


def _chains(ledger: Ledger) -> Iterator[Violation]:
    """Ask `why` about everything that is held in the end."""
    if not ledger.held:
        return
    last = len(ledger.endpoint.steps) - 1
    held = {entry.message.id: entry for entry in ledger.held}
    for message_id in held:
        why = ledger.endpoint.engine.why(message_id)
        if not _chain_holds(why, held=held, ledger=ledger):
            sentence = f"asked why {message_id.sender}:{message_id.seq} is held, it says {why}"
            yield violation(NAME, ledger=ledger, step=last, sentence=sentence)


def _chain_holds(why: Why, *, held: dict[MessageId, Entry], ledger: Ledger) -> bool:
    named: Requirement | None = why.message_id
    for link in why.chain:
        if link.message_id not in held or not _is_named(link.message_id, named):
            return False
        if not waits_for(
            held[link.message_id],
            link.waiting_for,
            history=ledger.endpoint.history,
            delivered=ledger.delivered,
        ):
            return False
        named = link.waiting_for
    return bool(why.chain) and why.missing == named and named not in held


def _is_named(message_id: MessageId, named: Requirement | None) -> bool:
    if isinstance(named, UpTo):
        return message_id.sender == named.sender and message_id.seq <= named.seq
    return message_id == named
