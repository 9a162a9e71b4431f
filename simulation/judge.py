"""Every checker, over every endpoint of a world that has run.

`CHECKERS` is the list that the summary line, the documentation and the tests go by.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Final

from simulation.checkers import (
    batching_changes_result,
    blocked_by_unrelated,
    duplicated,
    fate_missing,
    lost,
    out_of_order,
    raised,
    restore_changes_result,
    unseen,
    untrue_reason,
)
from simulation.checkers.violation import Violation
from simulation.ledger import Ledger

CHECKERS: Final = (
    lost.NAME,
    duplicated.NAME,
    out_of_order.NAME,
    unseen.NAME,
    blocked_by_unrelated.NAME,
    fate_missing.NAME,
    untrue_reason.NAME,
    raised.NAME,
    batching_changes_result.NAME,
    restore_changes_result.NAME,
)
"""All of them, in the order in which they are printed."""

OF_ONE_ENDPOINT: Final[tuple[Callable[[Ledger], Iterator[Violation]], ...]] = (
    lost.check,
    duplicated.check,
    out_of_order.check,
    unseen.check,
    blocked_by_unrelated.check,
    fate_missing.check,
    untrue_reason.check,
)
"""Those that need no more than one transcript."""


def judge_endpoint(ledger: Ledger) -> list[Violation]:
    """What is wrong with one transcript. Called by `simulation.run` and while shrinking."""
    endpoint = ledger.endpoint
    if endpoint.maybe_fault is not None:
        return list(raised.check(ledger))
    violations = [violation for check in OF_ONE_ENDPOINT for violation in check(ledger)]
    if endpoint.crashes:
        maybe_difference = restore_changes_result.compare_with_uninterrupted(endpoint)
        violations += restore_changes_result.check(ledger, maybe_difference=maybe_difference)
    return violations
