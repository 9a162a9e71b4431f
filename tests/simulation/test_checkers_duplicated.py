"""Laws of the checker `duplicated`, on transcripts with a planted fault."""

from __future__ import annotations

from ordering.events import Duplicate, Quarantined, Reason
from ordering.values import MemberId, MessageId
from simulation.checkers import duplicated
from simulation.options import Hostility
from tests.simulation.transcripts import Script, delivered, held


def test_one_delivery_for_each_id_is_fine() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, delivered(1, first))
    script.receive(first, Duplicate(first.message))
    assert not list(duplicated.check(script.ledger()))


def test_an_id_that_is_delivered_twice_is_reported() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, delivered(1, first))
    script.receive(first, delivered(2, first))
    (found,) = duplicated.check(script.ledger())
    assert found.step == 1
    assert "alice#1:1 is delivered again at position 2" in found.sentence


def test_a_position_that_is_given_twice_is_reported() -> None:
    script = Script()
    first, second = script.message("alice#1", 1), script.message("alice#1", 2)
    script.receive(first, delivered(1, first))
    script.receive(second, delivered(1, second))
    (found,) = duplicated.check(script.ledger())
    assert "position 1" in found.sentence


def test_another_content_under_a_delivered_id_must_not_be_called_a_duplicate() -> None:
    script = Script()
    kind = Hostility.EQUIVOCATION
    yes = script.message("mallory#1", 1, content=b"yes", hostility=kind)
    no = script.message("mallory#1", 1, content=b"no", hostility=kind)
    script.receive(yes, delivered(1, yes))
    script.receive(no, Duplicate(no.message))
    (found,) = duplicated.check(script.ledger())
    assert "two contents" in found.sentence


def test_another_content_under_a_delivered_id_may_be_quarantined() -> None:
    script = Script()
    kind = Hostility.EQUIVOCATION
    yes = script.message("mallory#1", 1, content=b"yes", hostility=kind)
    no = script.message("mallory#1", 1, content=b"no", hostility=kind)
    script.receive(yes, delivered(1, yes))
    script.receive(no, Quarantined(no.message, Reason.EQUIVOCATION))
    assert not list(duplicated.check(script.ledger()))


def test_a_copy_of_what_was_given_up_on_and_is_held_again_is_a_duplicate() -> None:
    script = Script()
    kind = Hostility.EQUIVOCATION
    parent = MessageId(MemberId("bob#1"), 1)
    yes = script.message("mallory#1", 1, answers=[parent], content=b"yes", hostility=kind)
    script.receive(yes, held(yes, parent))
    script.receive(yes, Quarantined(yes.message, Reason.GAVE_UP), held(yes, parent))
    script.receive(yes, Duplicate(yes.message))
    assert not list(duplicated.check(script.ledger()))


def test_a_copy_of_what_was_given_up_on_and_is_gone_is_no_duplicate() -> None:
    script = Script()
    kind = Hostility.EQUIVOCATION
    parent = MessageId(MemberId("bob#1"), 1)
    yes = script.message("mallory#1", 1, answers=[parent], content=b"yes", hostility=kind)
    script.receive(yes, held(yes, parent))
    script.tick(Quarantined(yes.message, Reason.GAVE_UP))
    script.receive(yes, Duplicate(yes.message))
    (found,) = duplicated.check(script.ledger())
    assert "called a duplicate" in found.sentence
