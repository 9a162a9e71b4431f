"""Laws of the checker `restore_changes_result`."""

from __future__ import annotations

from simulation.checkers import restore_changes_result
from simulation.service import Difference
from tests.simulation.transcripts import Script, delivered
from tests.simulation.worlds import honest_chain


def test_no_difference_is_no_violation() -> None:
    ledger = Script().ledger()
    assert not list(restore_changes_result.check(ledger, maybe_difference=None))


def test_a_difference_is_reported_with_its_place() -> None:
    script = Script()
    first = script.message("alice#1", 1)
    difference = Difference(3, 4, [delivered(1, first)], [])
    (found,) = restore_changes_result.check(script.ledger(), maybe_difference=difference)
    assert found.sentence == "in offsets 3 to 3 there are 0 events and there were 1"


def test_a_member_that_crashed_says_what_one_that_never_stopped_says() -> None:
    endpoint = honest_chain(3, crash_after=1)
    assert restore_changes_result.compare_with_uninterrupted(endpoint) is None


def test_a_member_that_forgot_something_in_a_crash_is_found() -> None:
    endpoint = honest_chain(3, crash_after=1)
    last = endpoint.steps[-1]
    endpoint.steps[-1] = last._replace(events=last.events[:-1])
    assert restore_changes_result.compare_with_uninterrupted(endpoint) is not None
