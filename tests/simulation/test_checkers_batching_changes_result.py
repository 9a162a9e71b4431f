"""Laws of the checker `batching_changes_result`."""

from __future__ import annotations

from ordering.events import Event
from simulation.checkers import batching_changes_result
from simulation.service import Difference
from tests.simulation.transcripts import Script, delivered, held


def test_no_difference_is_no_violation() -> None:
    ledger = Script().ledger()
    assert not list(batching_changes_result.check(ledger, maybe_difference=None))


def test_the_first_event_that_differs_is_shown_on_both_sides() -> None:
    script = Script()
    parent = script.message("alice#1", 1)
    child = script.message("bob#1", 1, answers=[parent])
    expected: list[Event] = [held(child, parent), delivered(1, parent), delivered(2, child)]
    said: list[Event] = [delivered(1, parent), delivered(2, child)]
    difference = Difference(0, 2, expected, said)
    (found,) = batching_changes_result.check(script.ledger(), maybe_difference=difference)
    assert found.checker == "batching_changes_result"
    assert "offsets 0 to 1, event 0 is Delivered(1, alice#1:1) and was Held(bob#1:1" in (
        found.sentence
    )
