"""Laws of the checker `out_of_order`, on transcripts with a planted fault."""

from __future__ import annotations

import pytest

from ordering.events import Delivered, Mark, Quarantined, Reason
from ordering.values import MemberId, MessageId
from simulation.checkers import out_of_order
from simulation.options import GiveUp
from tests.simulation.transcripts import START_AT, Script, delivered, held


def test_a_child_after_its_parent_is_in_order() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("bob#1", 1, answers=[parent])
    script.receive(parent, delivered(1, parent))
    script.receive(child, delivered(2, child))
    assert not list(out_of_order.check(script.ledger()))


def test_a_child_before_its_parent_is_reported() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("bob#1", 1, answers=[parent])
    script.receive(child, delivered(1, child))
    script.receive(parent, delivered(2, parent))
    (found,) = out_of_order.check(script.ledger())
    assert found.sentence == "bob#1:1 is delivered before alice#1:1"


@pytest.mark.parametrize(("discipline", "is_in_order"), [("semantic", True), ("fifo", False)])
def test_a_senders_count_is_an_order_in_fifo_alone(discipline: str, is_in_order: bool) -> None:
    script = Script(discipline)
    first, second = script.message("alice#1", 1), script.message("alice#1", 2)
    script.receive(second, delivered(1, second))
    script.receive(first, delivered(2, first))
    assert (not list(out_of_order.check(script.ledger()))) is is_in_order


def test_what_one_delivery_frees_must_follow_depth_first() -> None:
    script = Script()
    root = script.message("alice#1", 1)
    left = script.message("bob#1", 1, answers=[root])
    below = script.message("carol#1", 1, answers=[left])
    right = script.message("dave#1", 1, answers=[root])
    for entry, above in ((left, root), (below, left), (right, root)):
        script.receive(entry, held(entry, above))
    order = (root, left, right, below)
    script.receive(root, *(delivered(n, entry) for n, entry in enumerate(order, start=1)))
    (found,) = out_of_order.check(script.ledger())
    assert found.sentence.startswith("carol#1:1 does not follow bob#1:1")


def test_what_one_delivery_frees_must_follow_in_the_order_of_coming() -> None:
    script = Script()
    root = script.message("alice#1", 1)
    early = script.message("bob#1", 1, answers=[root])
    late = script.message("carol#1", 1, answers=[root])
    script.receive(early, held(early, root))
    script.receive(late, held(late, root))
    script.receive(root, delivered(1, root), delivered(2, late), delivered(3, early))
    (found,) = out_of_order.check(script.ledger())
    assert found.sentence.startswith("bob#1:1 does not follow alice#1:1")


def test_the_turn_of_what_was_first_refused_counts_from_when_it_was_held() -> None:
    script = Script()
    root = script.message("alice#1", 1)
    ahead = script.message("bob#1", 9, answers=[root])
    other = script.message("carol#1", 1, answers=[root])
    script.receive(ahead, Quarantined(ahead.message, Reason.SEQUENCE_JUMP))
    script.receive(other, held(other, root))
    script.receive(ahead, held(ahead, root))
    script.receive(root, delivered(1, root), delivered(2, other), delivered(3, ahead))
    assert not list(out_of_order.check(script.ledger()))


def released_after(waited_us: int, *, marks: frozenset[Mark]) -> list[str]:
    script = Script(give_up=GiveUp.RELEASE, after_us=100)
    never = MessageId(MemberId("bob#1"), 1)
    orphan = script.message("alice#1", 1, answers=[never])
    script.receive(orphan, held(orphan, never), now=START_AT)
    script.tick(Delivered(1, orphan.message, marks), now=START_AT + waited_us)
    return [found.sentence for found in out_of_order.check(script.ledger())]


def test_a_release_is_in_order_when_patience_is_over_and_it_is_marked() -> None:
    assert released_after(100, marks=frozenset({Mark.PARENT_MISSING})) == []


def test_a_release_before_patience_is_over_is_reported() -> None:
    found = released_after(99, marks=frozenset({Mark.PARENT_MISSING}))
    assert found == ["alice#1:1 is delivered before bob#1:1"]


def test_a_release_without_its_mark_is_reported() -> None:
    found = released_after(100, marks=frozenset())
    assert found == ["alice#1:1 is marked nothing and should be parent_missing"]


def test_what_comes_after_it_was_left_out_must_be_marked_late() -> None:
    script = Script(give_up=GiveUp.RELEASE, after_us=100)
    parent = script.message("bob#1", 1)
    orphan = script.message("alice#1", 1, answers=[parent])
    marks = frozenset({Mark.PARENT_MISSING})
    script.receive(orphan, held(orphan, parent), now=START_AT)
    script.tick(Delivered(1, orphan.message, marks), now=START_AT + 100)
    script.receive(parent, delivered(2, parent), now=START_AT + 101)
    (found,) = out_of_order.check(script.ledger())
    assert found.sentence == "bob#1:1 is marked nothing and should be late"


def test_a_mark_without_a_cause_is_reported() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, Delivered(1, first.message, frozenset({Mark.LATE})))
    (found,) = out_of_order.check(script.ledger())
    assert found.sentence == "alice#1:1 is marked late and should be nothing"
