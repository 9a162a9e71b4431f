"""Lost: a sound message went in and neither came out nor waits.

A message is lost when the engine was handed it and, in the end, has not delivered it, does not hold
it, and had no cause to refuse it. The causes are listed in `simulation.excuses`.

Examples.

    handed alice#1:1, said Quarantined(alice#1:1, cycle)      lost: there is no cycle
    handed alice#1:1 once, said Duplicate(alice#1:1)          lost: of what would it be a duplicate?
    handed alice#1:1 with content "a", delivered "b"          lost: "a" never came out

A message that is still held is not lost, whatever it waits for: that is for `blocked_by_unrelated`
and `unseen`.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.violation import Violation, violation
from simulation.excuses import Excuses
from simulation.ledger import Ledger

NAME = "lost"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Follow every message that was handed over to its end. Called once per endpoint."""
    history = ledger.endpoint.history
    for number, event in ledger.changed:
        sentence = f"what came out is not what went in: {event}"
        yield violation(NAME, ledger=ledger, step=number, sentence=sentence)
    excuses = Excuses(ledger)
    for refusal in ledger.refusals:
        if not excuses.allow(refusal):
            name = history.name(refusal.entry.slot)
            sentence = f"{name} was quarantined ({refusal.reason.value}) without cause"
            yield violation(NAME, ledger=ledger, step=refusal.step, sentence=sentence)
    accounted = ledger.delivered
    for entry in ledger.held:
        accounted |= 1 << entry.slot
    for refusal in ledger.refusals:
        accounted |= 1 << refusal.entry.slot
    for index, step in ledger.handed_at.items():
        slot = history.entries[index].slot
        if not accounted >> slot & 1:
            sentence = f"{history.name(slot)} was handed over and is gone"
            yield violation(NAME, ledger=ledger, step=step, sentence=sentence)
