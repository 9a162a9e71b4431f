"""Blocked by unrelated: a message is held although everything that it requires was delivered.

This is what the product promises never to do. What a message requires comes from the definition
of the group's order, as the world wrote it down, not from what the engine says it waits for.

Example, semantic order. bob#1:2 answers alice#1:1, which is delivered; bob#1:1 is lost.

    Delivered(1, alice#1:1)
    Held(bob#1:2)                  <- blocked: bob#1:1 has nothing to do with it (in `fifo` it has)

Deliveries are never taken back, so it is enough to look at the last step at which it was held.
"""

from __future__ import annotations

from collections.abc import Iterator

from simulation.checkers.violation import Violation, violation
from simulation.ledger import Ledger

NAME = "blocked_by_unrelated"


def check(ledger: Ledger) -> Iterator[Violation]:
    """Look at every holding of an endpoint. Called once per endpoint."""
    history = ledger.endpoint.history
    for entry, from_step, maybe_until_step in ledger.holdings:
        last = len(ledger.delivered_after) - 1
        if maybe_until_step is not None:
            last = maybe_until_step - 1
        if last < from_step:
            continue
        missing = entry.awaits & ~ledger.delivered_after[last]
        if missing and missing & ~ledger.lapsed(entry, step=last):
            continue
        if entry.captures & ~ledger.captured_after[last]:
            continue
        if entry.confirmers and not ledger.confirmations.must_be_known(entry, step=last):
            continue
        sentence = (
            f"{history.name(entry.slot)} is held since step {from_step} although all it requires "
            f"({history.names(entry.awaits)}) is delivered"
        )
        yield violation(NAME, ledger=ledger, step=last, sentence=sentence)
