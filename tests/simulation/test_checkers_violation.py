"""Laws of what a checker says."""

from __future__ import annotations

from simulation.checkers.violation import violation
from tests.simulation.transcripts import Script


def test_a_violation_says_which_promise_where_when_and_why() -> None:
    found = violation("lost", ledger=Script("fifo").ledger(), step=7, sentence="a is gone")
    assert str(found) == "lost: a is gone (member alice#1, fifo, step 7)"
