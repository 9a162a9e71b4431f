"""Restore changes result: an engine rebuilt from its own bytes says something else.

A crash may come anywhere. The engine is then rebuilt from the bytes of the last committed batch,
and what it says about the records after that must be what an engine that never stopped says: the
same deliveries at the same positions (readers drop the repeats by position), the same holdings, the
same refusals.

Example. Log: b (answers a), | a. A crash at the bar. Uninterrupted: Held(b), Delivered(1, a),
Delivered(2, b). An engine that forgets what it holds when it is rebuilt says Held(b),
Delivered(1, a): b is never seen again.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.differences import report
from simulation.checkers.violation import Violation
from simulation.endpoint import RESTORED, Endpoint
from simulation.ledger import Ledger
from simulation.service import Difference

NAME = "restore_changes_result"


def check(ledger: Ledger, *, maybe_difference: Difference | None) -> Iterator[Violation]:
    """Report where a rebuilt engine said something else than one that never stopped."""
    return report(NAME, ledger=ledger, maybe_difference=maybe_difference)


def compare_with_uninterrupted(endpoint: Endpoint) -> Difference | None:
    """Do a crashed member's steps again in an engine that never stops."""
    again = endpoint.afresh()
    for number, step in enumerate(endpoint.steps):
        if step.entry_index != RESTORED:
            expected = again.do(step)
            if expected != step.events:
                return Difference(number, number + 1, expected, step.events)
    return None
