"""Laws of the checker `blocked_by_unrelated`, on transcripts with a planted fault."""

from __future__ import annotations

import pytest

from ordering.values import MemberId, MessageId
from simulation.checkers import blocked_by_unrelated
from tests.simulation.transcripts import Script, delivered, held


@pytest.mark.parametrize(("discipline", "is_blocked"), [("semantic", True), ("fifo", False)])
def test_a_gap_in_the_count_blocks_nobody_in_semantic_order(
    discipline: str, is_blocked: bool
) -> None:
    script = Script(discipline)
    parent = script.message("alice#1", 1)
    answer = script.message("bob#1", 2, answers=[parent])
    script.receive(parent, delivered(1, parent))
    script.receive(answer, held(answer, MessageId(MemberId("bob#1"), 1)))
    found = list(blocked_by_unrelated.check(script.ledger()))
    assert bool(found) is is_blocked


def test_a_message_that_waits_for_its_parent_is_not_blocked() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    answer = script.message("bob#1", 1, answers=[parent])
    script.receive(answer, held(answer, parent))
    script.receive(parent, delivered(1, parent), delivered(2, answer))
    assert not list(blocked_by_unrelated.check(script.ledger()))


def test_a_message_that_is_freed_a_step_too_late_was_blocked() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    answer = script.message("bob#1", 1, answers=[parent])
    script.receive(answer, held(answer, parent))
    script.receive(parent, delivered(1, parent))
    script.tick(delivered(2, answer))
    (found,) = blocked_by_unrelated.check(script.ledger())
    assert found.step == 1
    assert found.sentence.startswith("bob#1:1 is held since step 0")
