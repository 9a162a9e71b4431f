"""Laws of giving up: what did not come is remembered, what waited for it is let go or refused."""

from __future__ import annotations

import pytest

from ordering.engine import Engine
from ordering.events import Abandoned, Delivered, GapOpened, Released
from ordering.policy import GiveUp, Limits
from ordering.requirement import Standing, UpTo
from tests.ordering.memories import FAR
from tests.ordering.messages import PATIENCE_US, delivered, group, ident, marks, quarantined, say

ORPHANED = {"parent_missing"}


def gave_up(discipline: str, give_up: GiveUp, *said: tuple[str, ...]) -> Engine:
    """A group that has received messages and lost its patience with what they wait for."""
    engine = group(discipline, give_up=give_up)
    engine.receive_all([say(*one) for one in said], now=0)
    engine.advance(PATIENCE_US)
    return engine


def test_a_group_that_holds_never_gives_up() -> None:
    engine = group()
    engine.receive(say("b1", "a1"), now=0)
    engine.advance(FAR)
    assert engine.held_count == 1
    assert engine.next_deadline() is None


def test_a_released_subtree_is_announced_and_marked_message_by_message() -> None:
    engine = group(give_up=GiveUp.RELEASE)
    engine.receive_all([say("b1", "a1"), say("c1", "b1"), say("d1", "a1")], now=0)
    events = engine.advance(PATIENCE_US)
    assert events[:2] == [GapOpened(ident("a1")), Abandoned(ident("a1"))]
    assert [type(event) for event in events[2:]] == [Released, Delivered] * 3
    assert delivered(events) == "b1 c1 d1"
    assert marks(events) == {"b1": ORPHANED, "c1": ORPHANED, "d1": ORPHANED}


def test_a_quarantined_subtree_is_quarantined_whole_and_nothing_else_is() -> None:
    engine = group(give_up=GiveUp.QUARANTINE)
    engine.receive_all([say("b1", "a1"), say("c1", "b1"), say("e1", "d1")], now=0)
    engine.receive(say("d1"), now=1)
    assert quarantined(engine.advance(PATIENCE_US)) == {"b1": "gave_up", "c1": "gave_up"}
    assert engine.held_count == 0


@pytest.mark.parametrize("discipline", ["semantic", "semantic+fifo"])
def test_later_children_of_what_was_released_do_not_wait_again(discipline: str) -> None:
    engine = gave_up(discipline, GiveUp.RELEASE, ("b1", "a1"))
    events = engine.receive_all([say("c1", "a1"), say("d1", "c1")], now=PATIENCE_US)
    assert delivered(events) == "c1 d1"
    assert marks(events) == {"c1": ORPHANED}


def test_later_children_of_what_was_quarantined_are_quarantined_at_once() -> None:
    engine = gave_up("semantic", GiveUp.QUARANTINE, ("b1", "a1"))
    later = [say("c1", "a1"), say("d1", "b1"), say("e1", "d1")]
    events = engine.receive_all(later, now=PATIENCE_US)
    assert quarantined(events) == dict.fromkeys(("c1", "d1", "e1"), "gave_up")


@pytest.mark.parametrize("discipline", ["semantic", "semantic+fifo"])
@pytest.mark.parametrize("give_up", [GiveUp.RELEASE, GiveUp.QUARANTINE])
def test_what_comes_after_all_is_late_and_its_children_are_plain_again(
    discipline: str, give_up: GiveUp
) -> None:
    engine = gave_up(discipline, give_up, ("b1", "a1"))
    events = engine.receive_all([say("a1"), say("c1", "a1")], now=PATIENCE_US)
    assert delivered(events) == "a1 c1"
    assert marks(events) == {"a1": {"late"}}


def test_what_was_given_up_is_forgotten_in_the_end_and_waited_for_again() -> None:
    engine = group(give_up=GiveUp.RELEASE, limits=Limits(abandoned_us=PATIENCE_US))
    engine.receive(say("b1", "a1"), now=0)
    engine.advance(PATIENCE_US)
    assert engine.why(ident("a1")).standing is Standing.ABANDONED
    engine.receive(say("c1", "a1"), now=2 * PATIENCE_US)
    assert engine.held_count == 1


def test_release_skips_the_holes_of_a_sender_and_delivers_what_it_held_in_order() -> None:
    engine = group("fifo", give_up=GiveUp.RELEASE)
    engine.receive_all([say("a1"), say("a6"), say("a5"), say("a3")], now=0)
    events = engine.advance(PATIENCE_US)
    assert delivered(events) == "a3 a5 a6"
    assert marks(events) == {"a3": ORPHANED, "a5": ORPHANED, "a6": ORPHANED}
    late = engine.receive_all([say("a4"), say("a7"), say("a2"), say("a8")], now=PATIENCE_US)
    assert delivered(late) == "a4 a7 a2 a8"
    assert marks(late)["a2"] == {"late"}
    assert "a8" not in marks(late)


def test_quarantine_refuses_a_sender_until_its_hole_is_filled() -> None:
    engine = group("fifo", give_up=GiveUp.QUARANTINE)
    engine.receive_all([say("a1"), say("a3"), say("a4")], now=0)
    assert quarantined(engine.advance(PATIENCE_US)) == {"a3": "gave_up", "a4": "gave_up"}
    assert quarantined(engine.receive(say("a5"), now=PATIENCE_US)) == {"a5": "gave_up"}
    filled = engine.receive_all([say("a2"), say("a3"), say("a4")], now=PATIENCE_US)
    assert delivered(filled) == "a2 a3 a4"


@pytest.mark.parametrize("far", [1, 2, FAR])
@pytest.mark.parametrize("discipline", ["semantic", "semantic+fifo"])
def test_a_sender_that_never_spoke_is_given_up_however_much_is_asked_of_it(
    discipline: str, far: int
) -> None:
    engine = group(discipline, give_up=GiveUp.RELEASE)
    engine.receive(say("b1", f"a{far}"), now=0)
    assert delivered(engine.advance(PATIENCE_US)) == "b1"
    assert engine.held_count == 0


def test_what_counts_a_sender_up_to_here_is_abandoned_as_it_was_stated() -> None:
    engine = group("fifo", give_up=GiveUp.RELEASE)
    engine.receive(say("a3"), now=0)
    assert Abandoned(UpTo(ident("a1").sender, 2)) in engine.advance(PATIENCE_US)


def test_gaps_that_are_due_together_are_given_up_oldest_first_and_then_by_id() -> None:
    engine = group(give_up=GiveUp.RELEASE)
    engine.receive(say("z1", "c1"), now=0)
    engine.receive_all([say("z2", "b1"), say("z3", "a1")], now=1)
    assert delivered(engine.advance(FAR)) == "z1 z3 z2"
