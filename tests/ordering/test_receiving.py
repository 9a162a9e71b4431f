"""Laws of the ways in: whatever comes, each gives the same events as the careful one."""

from __future__ import annotations

from itertools import groupby

import pytest
from hypothesis import given

from ordering.disciplines.registry import choose, names
from ordering.engine import Engine
from ordering.events import Event
from ordering.policy import GiveUp
from ordering.receiving import receive_carefully, receive_in_order_of_the_log
from tests.ordering.histories import TIGHT, History, histories
from tests.ordering.memories import memory
from tests.ordering.messages import delivered, policy_for, say
from tests.ordering.untimed import briefly
from tests.ordering.ways import must_agree

every_discipline = pytest.mark.parametrize("discipline", names())
unordered = pytest.mark.parametrize("discipline", ["none", "total"])


@unordered
@briefly
@given(history=histories())
def test_the_order_of_the_log_gives_the_same_events_as_the_careful_way(
    discipline: str, history: History
) -> None:
    must_agree(policy_for(discipline), history)
    must_agree(policy_for(discipline, limits=TIGHT), history)


@every_discipline
@briefly
@given(history=histories())
def test_many_at_once_get_the_same_events_as_one_by_one(discipline: str, history: History) -> None:
    policy = policy_for(discipline, give_up=GiveUp.RELEASE, limits=TIGHT)
    together, alone = Engine(policy), Engine(policy)
    for now, batch in groupby(history, key=lambda step: step[1]):
        messages = [message for message, _ in batch]
        one_by_one = [event for one in messages for event in alone.receive(one, now=now)]
        assert together.receive_all(messages, now=now) == one_by_one


@every_discipline
def test_nothing_received_changes_nothing(discipline: str) -> None:
    policy = policy_for(discipline)
    _, way = choose(policy)
    state, events = memory(policy), list[Event]()
    way(state, [], events)
    assert events == []
    assert (state.position, state.held_count, state.members) == (0, 0, {})


def test_what_requires_nothing_is_delivered_in_the_order_of_the_log() -> None:
    said = [say("a3", "z1"), say("a1"), say("b9", "a2"), say("a1"), say("a2")]
    for way in (receive_in_order_of_the_log, receive_carefully):
        state, events = memory(policy_for("none")), list[Event]()
        way(state, said, events)
        assert delivered(events) == "a3 a1 b9 a2"
        assert state.position == 4
