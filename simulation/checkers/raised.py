"""Raised: the engine raised an exception.

Nothing that a sender puts into a message, no order of arrival and no crash point may make the
engine raise: it would stop its whole shard for one message. A bad message is quarantined with a
reason.

Example. A message whose parent is a ring of three, handed over in the order 2, 3, 1, makes the
engine raise `EngineFault`: raised, whatever the message deserved.

Nothing else is judged at an endpoint whose engine has raised.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.violation import Violation, violation
from simulation.ledger import Ledger

NAME = "raised"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Report what was raised. Called once per endpoint."""
    maybe_fault = ledger.endpoint.maybe_fault
    if maybe_fault is not None:
        last = len(ledger.endpoint.steps) - 1
        yield violation(NAME, ledger=ledger, step=last, sentence=maybe_fault)
