"""Laws of time: it moves only forward, and what depends on it happens in one order."""

from __future__ import annotations

from ordering.events import Abandoned, Event, GapOpened, Released
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.receiving import receive_carefully
from ordering.state import GroupState
from ordering.time_passing import SETTLE_EVERY_US, pass_to, settle_gaps
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import PATIENCE_US, delivered, group, ident, policy_for, say


def passing(state: GroupState, now: int) -> list[Event]:
    events: list[Event] = []
    pass_to(state, now, events)
    return events


def gappy(*, gaps_per_member: int) -> GroupState:
    """A group that has received 1, 3, 5, 7 of a."""
    state = memory(GroupPolicy(limits=Limits(gaps_per_member=gaps_per_member)))
    passing(state, 0)
    receive_carefully(state, [say(f"a{seq}") for seq in (1, 3, 5, 7)], [])
    return state


def test_time_that_stands_still_or_goes_back_changes_nothing() -> None:
    state = memory(policy_for(give_up=GiveUp.RELEASE))
    passing(state, 50)
    receive_carefully(state, [say("b1", "a1")], [])
    for now in (50, 49, -FAR):
        assert passing(state, now) == []
        assert state.now == 50


def test_a_gap_is_told_by_the_first_instant_after_it_opened_and_once() -> None:
    state = memory()
    passing(state, 0)
    receive_carefully(state, [say("b1", "a1"), say("c1", "a1")], [])
    assert passing(state, 1) == [GapOpened(ident("a1"))]
    assert passing(state, 2) == []


def test_a_gap_that_closes_within_its_instant_is_never_told() -> None:
    engine = group()
    engine.receive_all([say("b1", "a1"), say("a1")], now=0)
    assert engine.advance(1) == []


def test_a_gap_is_told_before_it_is_given_up_by_the_same_instant() -> None:
    state = memory(policy_for(give_up=GiveUp.RELEASE))
    passing(state, 0)
    receive_carefully(state, [say("b1", "a1")], [])
    events = passing(state, FAR)
    assert [type(event) for event in events[:3]] == [GapOpened, Abandoned, Released]
    assert delivered(events) == "b1"


def test_something_is_given_up_at_its_instant_and_not_before() -> None:
    state = memory(policy_for(give_up=GiveUp.RELEASE))
    passing(state, 7)
    receive_carefully(state, [say("b1", "a1")], [])
    assert passing(state, 7 + PATIENCE_US - 1) == [GapOpened(ident("a1"))]
    assert delivered(passing(state, 7 + PATIENCE_US)) == "b1"


def test_gaps_are_settled_down_to_the_limit_and_not_below() -> None:
    for limit, floor in ((0, 7), (1, 5), (2, 3), (3, 0), (4, 0)):
        state = gappy(gaps_per_member=limit)
        settle_gaps(state)
        assert state.members["a#1"].floor == floor


def test_gaps_are_settled_when_a_whole_second_has_gone_by() -> None:
    state = gappy(gaps_per_member=0)
    passing(state, SETTLE_EVERY_US - 1)
    assert state.members["a#1"].floor == 0
    passing(state, SETTLE_EVERY_US)
    assert state.members["a#1"].floor == 7


def test_a_gap_that_somebody_waits_for_is_not_forgotten() -> None:
    engine = group(limits=Limits(gaps_per_member=0))
    engine.receive_all([say("b1", "a2"), say("a1"), say("a3")], now=0)
    engine.advance(SETTLE_EVERY_US)
    assert delivered(engine.receive(say("a2"), now=SETTLE_EVERY_US)) == "a2 b1"


def test_time_that_is_forgiven_is_not_waited() -> None:
    engine = group("semantic+fifo", give_up=GiveUp.RELEASE)
    engine.receive_all([say("b1", "a1"), say("c2"), say("d1", "b1")], now=0)
    engine.forgive(1_000)
    assert engine.next_deadline() == 1_000 + PATIENCE_US
    engine.receive(say("c1"), now=500)
    assert delivered(engine.advance(1_000 + PATIENCE_US - 1)) == ""
    assert delivered(engine.advance(1_000 + PATIENCE_US)) == "b1 d1"
