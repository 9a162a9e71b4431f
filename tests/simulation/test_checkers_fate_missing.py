"""Laws of the checker `fate_missing`, on transcripts with a planted fault."""

from __future__ import annotations

from ordering.events import Delivered, Duplicate, Quarantined, Reason
from ordering.values import MemberId, MessageId
from simulation.checkers import fate_missing
from simulation.options import Hostility
from tests.simulation.transcripts import Script, delivered, held


def sentences(script: Script, *, figures_agree: bool = True) -> list[str]:
    ledger = script.ledger(figures_agree=figures_agree)
    return [found.sentence for found in fate_missing.check(ledger)]


def test_each_of_the_four_fates_is_a_fate() -> None:
    script = Script()
    never = MessageId(MemberId("bob#1"), 9)
    first = script.message("alice#1", 1)
    orphan = script.message("alice#1", 2, answers=[never])
    bad = script.message("alice#1", 3)
    script.receive(first, delivered(1, first))
    script.receive(first, Duplicate(first.message))
    script.receive(orphan, held(orphan, never))
    script.receive(bad, Quarantined(bad.message, Reason.CYCLE))
    assert sentences(script) == []


def test_a_message_about_which_nothing_is_said_is_reported() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first)
    assert sentences(script) == ["alice#1:1 was handed over and given 0 fates ()"]


def test_a_message_with_two_fates_at_once_is_reported() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, delivered(1, first), Quarantined(first.message, Reason.CYCLE))
    found = sentences(script)
    assert found == ["alice#1:1 was handed over and given 2 fates (Delivered, Quarantined)"]


def test_a_copy_that_comes_in_the_step_that_frees_the_first_is_a_duplicate() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("bob#1", 1, answers=[parent])
    script.receive(child, held(child, parent))
    script.receive(child, delivered(1, child), Duplicate(child.message))
    assert sentences(script) == []


def test_a_delivery_of_what_was_never_handed_over_is_reported() -> None:
    script = Script()
    first, second = script.message("alice#1", 1), script.message("alice#1", 2)
    script.receive(first, delivered(1, first), Delivered(2, second.message))
    assert sentences(script) == ["alice#1:2 is delivered and was never handed over"]


def test_figures_that_do_not_agree_with_the_events_are_reported() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    script.receive(first, delivered(1, first))
    script.figures.held_count = 3
    script.figures.delivered_count = 1
    found = sentences(script, figures_agree=False)
    assert found == ["the events leave 0 and the engine says held_count = 3"]


def test_a_ring_that_is_held_for_ever_is_reported() -> None:
    script = Script()
    second_id = MessageId(MemberId("oscar#1"), 1)
    one = script.message("mallory#1", 1, answers=[second_id], hostility=Hostility.CYCLE)
    two = script.message("oscar#1", 1, answers=[one], hostility=Hostility.CYCLE)
    script.receive(one, held(one, two))
    script.receive(two, held(two, one))
    found = sentences(script)
    assert "mallory#1:1 hangs from itself and is held: its fate can never come" in found
