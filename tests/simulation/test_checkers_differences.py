"""Laws of the sentence about two runs that differ."""

from __future__ import annotations

from ordering.events import Delivered, Held, Mark
from ordering.requirement import Measure, UpTo
from ordering.values import MemberId, MessageId
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


def test_what_is_waited_for_is_told_as_people_write_it() -> None:
    script = Script()
    entry = script.message("alice#1", 2)
    sender = MemberId("bob#1")
    captured = Held(entry.message, UpTo(sender, 7, Measure.CAPTURED))
    confirmed = Held(entry.message, UpTo(sender, 7, Measure.ACKNOWLEDGED, by=MemberId("carol#1")))
    assert brief(Held(entry.message, MessageId(sender, 1))) == "Held(alice#1:2, bob#1:1)"
    assert brief(captured) == "Held(alice#1:2, bob#1 captured up to 7)"
    assert brief(confirmed) == "Held(alice#1:2, bob#1 acknowledged by carol#1 up to 7)"
