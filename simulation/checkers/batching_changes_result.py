"""Batching changes result: the same log, cut into other batches, gives other events.

Where a batch ends is an accident of load. What is delivered, in which order, at which position,
what is held and what is given up must be a function of the log alone.

Example. Log: b (answers a), a. One by one: Held(b), Delivered(1, a), Delivered(2, b). As one batch
an engine that looks at the whole batch first might say Delivered(1, a), Delivered(2, b) and never
Held(b): the `waits` table would then differ between two runs of the same log.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.differences import report
from simulation.checkers.violation import Violation
from simulation.ledger import Ledger
from simulation.service import Difference

NAME = "batching_changes_result"


def check(ledger: Ledger, *, maybe_difference: Difference | None) -> Iterator[Violation]:
    """Report where the batched run said something else than the plain one. Once per log."""
    return report(NAME, ledger=ledger, maybe_difference=maybe_difference)
