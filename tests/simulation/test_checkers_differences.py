"""Laws of the sentence about two runs that differ."""

from __future__ import annotations

from ordering.events import Delivered, Mark
from simulation.checkers.differences import brief, explain
from simulation.service import Difference
from tests.simulation.transcripts import Script, delivered


def test_an_event_is_shown_without_its_bytes_and_with_its_marks() -> None:
    entry = Script().message("alice#1", 1, content=b"secret")
    event = Delivered(4, entry.message, frozenset({Mark.LATE}))
    assert brief(event) == "Delivered(4, alice#1:1, late)"


def test_a_run_that_stops_early_is_told_by_its_count() -> None:
    entry = Script().message("alice#1", 1)
    difference = Difference(0, 2, [delivered(1, entry)], [])
    assert explain(difference) == "in offsets 0 to 1 there are 0 events and there were 1"


def test_a_run_that_raised_says_what() -> None:
    difference = Difference(0, 2, [], [], "KeyError: 1 at engine.py:3")
    assert explain(difference).endswith("the engine raised KeyError: 1 at engine.py:3")
