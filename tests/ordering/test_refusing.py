"""Laws of refusing: a refused message counts as given up until it comes again."""

from __future__ import annotations

import pytest

from ordering.events import Event, Quarantined, Reason
from ordering.names import admit
from ordering.policy import GiveUp
from ordering.refusing import refuse
from ordering.stamps import SignificantStamps
from ordering.state import GroupState
from ordering.values import Message
from tests.ordering.memories import memory
from tests.ordering.messages import PATIENCE_US, group, ident, marks, policy_for, quarantined, say

COUNTING = ("fifo", "semantic+fifo", "causal", "objects")


def refusing(discipline: str, message: Message) -> tuple[GroupState, list[Event]]:
    """A group that has refused one message, the second of its sender."""
    state, events = memory(policy_for(discipline, give_up=GiveUp.QUARANTINE)), list[Event]()
    state.now = 0
    assert admit(state, message.id) is None
    refuse(state, state.members[message.id.sender], message, events)
    return state, events


@pytest.mark.parametrize("discipline", ["semantic", *COUNTING])
def test_a_refused_message_is_quarantined_because_the_group_gave_up(discipline: str) -> None:
    _, events = refusing(discipline, say("a2"))
    assert events == [Quarantined(say("a2"), Reason.GAVE_UP)]


@pytest.mark.parametrize("discipline", COUNTING)
def test_where_senders_are_counted_a_refused_message_is_skipped(discipline: str) -> None:
    state, _ = refusing(discipline, say("a2"))
    assert state.members["a#1"].is_skipped(2)
    assert state.abandoned == {}


def test_where_ids_are_named_a_refused_message_is_abandoned_on_its_senders_account() -> None:
    state, _ = refusing("semantic", say("a2"))
    assert state.is_abandoned(ident("a2"))
    assert list(state.abandoned_by) == ["a#1"]
    assert not state.members["a#1"].is_skipped(2)


def test_where_instants_are_counted_a_refused_message_is_not_passed_over() -> None:
    state, _ = refusing("significant", say("a2", stamps=SignificantStamps(10)))
    assert not state.members["a#1"].is_skipped(2)
    assert state.is_abandoned(ident("a2"))


@pytest.mark.parametrize("discipline", ["semantic", "semantic+fifo"])
def test_a_refused_message_that_comes_again_when_it_may_is_delivered_late(discipline: str) -> None:
    engine = group(discipline, give_up=GiveUp.QUARANTINE)
    engine.receive(say("b1", "a1"), now=0)
    assert quarantined(engine.advance(PATIENCE_US)) == {"b1": "gave_up"}
    assert quarantined(engine.receive(say("c1", "b1"), now=PATIENCE_US)) == {"c1": "gave_up"}
    again = [say("a1"), say("b1", "a1"), say("c1", "b1")]
    late = marks(engine.receive_all(again, now=PATIENCE_US))
    assert late == {name: {"late"} for name in ("a1", "b1", "c1")}
