"""Laws of the fast way in by count: the same events as the careful way, in fewer steps."""

from __future__ import annotations

from random import Random

import pytest
from hypothesis import given

from ordering import receiving_by_count
from ordering.engine import Engine
from ordering.events import Event, Mark
from ordering.policy import GiveUp, Limits
from ordering.receiving import receive_carefully
from ordering.stamps import CausalStamps
from tests.ordering.histories import TIGHT, History, histories
from tests.ordering.memories import memory
from tests.ordering.messages import PATIENCE_US, delivered, marks, policy_for, quarantined, say
from tests.ordering.untimed import briefly, untimed
from tests.ordering.ways import must_agree
from tests.ordering.worlds import mix, talk, worlds

BOTH_WAYS = (receiving_by_count.receive_by_count, receive_carefully)
counting = pytest.mark.parametrize("discipline", ["fifo", "causal"])
every_counting = pytest.mark.parametrize("discipline", ["fifo", "causal", "semantic+fifo"])
every_rule = pytest.mark.parametrize("give_up", list(GiveUp))


@every_counting
@every_rule
@pytest.mark.parametrize("limits", [Limits(), TIGHT], ids=["roomy", "tight"])
@untimed
@given(history=histories())
def test_the_fast_way_gives_the_same_events_as_the_careful_way(
    discipline: str, give_up: GiveUp, limits: Limits, history: History
) -> None:
    must_agree(policy_for(discipline, give_up=give_up, limits=limits), history)


@every_counting
@every_rule
@briefly
@given(rng=worlds())
def test_honest_members_get_the_same_events_either_way(
    discipline: str, give_up: GiveUp, rng: Random
) -> None:
    pauses = (0, 0, 1, PATIENCE_US)
    now, history = 0, History()
    for message in mix(talk(discipline, rng), rng):
        now += rng.choice(pauses)
        history.append((message, now))
    must_agree(policy_for(discipline, give_up=give_up), history)


def test_a_sender_in_reverse_is_delivered_in_order() -> None:
    for way in BOTH_WAYS:
        state, events = memory(policy_for("fifo")), list[Event]()
        way(state, [say(f"a{seq}") for seq in (5, 4, 3, 2, 1)], events)
        assert delivered(events) == "a1 a2 a3 a4 a5"
        assert state.held_count == 0


def test_an_answer_in_order_goes_the_fast_way_and_frees_what_waited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    engine = Engine(policy_for("semantic+fifo"))
    engine.receive_all([say("a1"), say("b1", "a1"), say("a3", "b1"), say("b2", "a2")], now=0)
    monkeypatch.delattr(receiving_by_count, "arrive_and_settle")
    assert delivered(engine.receive(say("a2", "b1"), now=0)) == "a2 a3 b2"


def test_what_a_vector_counts_is_delivered_first() -> None:
    knows_two = CausalStamps(("a#1",), (3,))
    said = [say("b1"), say("b2", stamps=knows_two), say("a2"), say("a1"), say("b3")]
    for way in BOTH_WAYS:
        state, events = memory(policy_for("causal")), list[Event]()
        way(state, said, events)
        assert delivered(events) == "b1 a1 a2 b2 b3"


def test_members_that_count_each_other_in_a_circle_are_quarantined() -> None:
    said = [
        say("a1"),
        say("b1"),
        say("a2", stamps=CausalStamps(("b#1",), (3,))),
        say("b2", stamps=CausalStamps(("a#1",), (3,))),
    ]
    for way in BOTH_WAYS:
        state, events = memory(policy_for("causal")), list[Event]()
        way(state, said, events)
        assert quarantined(events) == {"b2": "cycle", "a2": "cycle"}


@counting
def test_a_group_goes_the_fast_way_again_after_a_loss_was_released(
    discipline: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = Engine(policy_for(discipline, give_up=GiveUp.RELEASE))
    engine.receive_all([say("a1"), say("b1"), say("a3"), say("x2")], now=0)
    engine.advance(PATIENCE_US)

    def arrive(*_: object) -> None:
        raise AssertionError("this message went the careful way")

    monkeypatch.setattr(receiving_by_count, "arrive_and_settle", arrive)
    knows_a = CausalStamps(("a#1",), (5,))
    later = [say("a4"), say("b3"), say("b2", stamps=knows_a), say("b4")]
    events = engine.receive_all(later, now=PATIENCE_US + 1)
    assert delivered(events) == "a4 b2 b3 b4"
    wanted = {"a4", "b2"} if discipline == "causal" else {"a4"}
    assert {name for name, found in marks(events).items() if Mark.PARENT_MISSING in found} == wanted
