"""Laws of waiting: one gap for all who wait, as old as the oldest wait, told only if it lasts."""

from __future__ import annotations

import pytest

from ordering.disciplines.registry import names
from ordering.events import Event, GapClosed, GapOpened, Held
from ordering.policy import GiveUp
from ordering.receiving import receive_carefully
from ordering.requirement import Missing
from ordering.state import GroupState
from ordering.waiting import SWEEP_MARGIN, is_open
from tests.ordering.memories import memory
from tests.ordering.messages import PATIENCE_US, delivered, group, ident, policy_for, say


def feed(state: GroupState, *said: tuple[str, ...]) -> list[Event]:
    events: list[Event] = []
    receive_carefully(state, [say(*one) for one in said], events)
    return events


def test_each_who_waits_is_told_what_it_waits_for() -> None:
    events = feed(memory(), ("b1", "a1"), ("c1", "b1"))
    assert events == [Held(say("b1", "a1"), ident("a1")), Held(say("c1", "b1"), ident("b1"))]


def test_all_who_wait_for_one_thing_share_one_gap() -> None:
    engine = group()
    engine.receive_all([say("b1", "a1"), say("c1", "a1"), say("d1", "c1")], now=5)
    assert engine.missing() == [Missing(ident("a1"), 3, 5)]
    assert engine.advance(6) == [GapOpened(ident("a1"))]


def test_gaps_are_told_in_the_order_of_ids_however_they_opened() -> None:
    engine = group()
    engine.receive_all([say("x1", "c1"), say("x2", "a10"), say("x3", "a9")], now=0)
    told = [event.requirement for event in engine.advance(1) if isinstance(event, GapOpened)]
    assert told == [ident("a9"), ident("a10"), ident("c1")]


def test_a_gap_that_was_told_is_closed_before_the_message_that_closes_it_is_told() -> None:
    engine = group()
    engine.receive(say("b1", "a1"), now=0)
    engine.advance(1)
    events = engine.receive(say("a1"), now=1)
    assert events[0] == GapClosed(ident("a1"))
    assert delivered(events) == "a1 b1"


def test_a_gap_is_closed_by_a_message_that_must_wait_itself() -> None:
    engine = group()
    engine.receive(say("b1", "a1"), now=0)
    engine.advance(1)
    events = engine.receive(say("a1", "z1"), now=1)
    assert events == [GapClosed(ident("a1")), Held(say("a1", "z1"), ident("z1"))]
    assert engine.advance(2) == [GapOpened(ident("z1"))]


def test_waiting_for_the_second_thing_goes_on_from_the_first_and_does_not_begin_anew() -> None:
    engine = group(give_up=GiveUp.RELEASE)
    engine.receive(say("c1", "a1", "b1"), now=0)
    engine.receive(say("a1"), now=PATIENCE_US - 1)
    assert engine.missing() == [Missing(ident("b1"), 1, 0)]
    assert engine.next_deadline() == PATIENCE_US


def test_an_older_wait_makes_a_gap_older() -> None:
    engine = group(give_up=GiveUp.RELEASE)
    engine.receive(say("c1", "a1", "b1"), now=0)
    engine.receive(say("d1", "b1"), now=50)
    assert engine.missing()[1] == Missing(ident("b1"), 1, 50)
    engine.receive(say("a1"), now=60)
    assert engine.missing() == [Missing(ident("b1"), 2, 0)]
    assert engine.next_deadline() == PATIENCE_US


@pytest.mark.parametrize("discipline", names())
def test_a_group_that_holds_has_no_deadlines(discipline: str) -> None:
    engine = group(discipline)
    engine.receive_all([say("b2", "a1"), say("c3", "b9")], now=0)
    assert engine.next_deadline() is None


def test_deadlines_of_closed_gaps_are_swept_away() -> None:
    state = memory(policy_for(give_up=GiveUp.RELEASE))
    for seq in range(1, 50 * SWEEP_MARGIN):
        feed(state, (f"b{seq}", f"a{seq}"), (f"a{seq}",))
    assert len(state.deadlines) <= 2 * SWEEP_MARGIN
    assert not any(is_open(state, deadline) for deadline in state.deadlines)
