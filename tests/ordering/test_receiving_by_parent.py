"""Laws of the fast way in by parents: the same events as the careful way, in fewer steps."""

from __future__ import annotations

import pytest
from hypothesis import given

from ordering.events import Event
from ordering.policy import GiveUp, Limits
from ordering.receiving import receive_carefully
from ordering.receiving_by_parent import receive_by_parent
from tests.ordering.histories import TIGHT, History, histories
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import delivered, policy_for, quarantined, say
from tests.ordering.untimed import untimed
from tests.ordering.ways import must_agree

BOTH_WAYS = (receive_by_parent, receive_carefully)


@pytest.mark.parametrize("give_up", list(GiveUp))
@pytest.mark.parametrize("limits", [Limits(), TIGHT], ids=["roomy", "tight"])
@untimed
@given(history=histories())
def test_the_fast_way_gives_the_same_events_as_the_careful_way(
    give_up: GiveUp, limits: Limits, history: History
) -> None:
    must_agree(policy_for(give_up=give_up, limits=limits), history)


def test_the_order_of_the_log_decides_between_brothers_and_a_parent_frees_both() -> None:
    said = [say("a1"), say("b1", "a3"), say("c1", "a3"), say("a2"), say("a3", "a2")]
    for way in BOTH_WAYS:
        state, events = memory(), list[Event]()
        way(state, said, events)
        assert delivered(events) == "a1 a2 a3 b1 c1"
        assert (state.position, state.held_count) == (5, 0)


def test_a_known_sender_that_answers_itself_or_closes_a_cycle_is_quarantined() -> None:
    said = [say("a1"), say("a2", "a2"), say("a3", "a4"), say("a4", "a3")]
    for way in BOTH_WAYS:
        state, events = memory(), list[Event]()
        way(state, said, events)
        assert quarantined(events) == {"a2": "self_parent", "a4": "cycle", "a3": "cycle"}
        assert (state.position, state.held_count) == (1, 0)


def test_a_far_parent_is_waited_for_and_a_far_message_refused() -> None:
    said = [say("a1"), say("a2", f"a{FAR}"), say(f"a{FAR}")]
    for way in BOTH_WAYS:
        state, events = memory(), list[Event]()
        way(state, said, events)
        assert quarantined(events) == {f"a{FAR}": "sequence_jump"}
        assert state.held_count == 1


def test_a_group_that_allows_no_parents_quarantines_every_answer() -> None:
    for way in BOTH_WAYS:
        state, events = memory(policy_for(limits=Limits(parents=0))), list[Event]()
        way(state, [say("a1"), say("a2", "a1"), say("a3")], events)
        assert delivered(events) == "a1 a3"
        assert quarantined(events) == {"a2": "too_many_parents"}
