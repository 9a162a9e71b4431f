"""Laws of semantic order with first in, first out: after its parents and its sender's earlier."""

from __future__ import annotations

from itertools import permutations

from ordering.disciplines.semantic_fifo import requires
from ordering.policy import GiveUp
from ordering.requirement import UpTo
from tests.ordering.messages import (
    PATIENCE_US,
    delivered,
    group,
    ident,
    marks,
    quarantined,
    say,
)


def test_the_parents_are_required_and_then_the_senders_earlier_messages() -> None:
    required = [one for one in requires(say("b3", "a9", "c1")) if one.seq > 0]
    assert required == [ident("a9"), ident("c1"), UpTo(ident("b3").sender, 2)]
    assert [one for one in requires(say("b1")) if one.seq > 0] == []


def test_in_every_order_of_arrival_both_orders_hold() -> None:
    said = (say("a1"), say("b1", "a2"), say("a2"), say("b2", "a1"))
    for arrivals in permutations(said):
        order = delivered(group("semantic+fifo").receive_all(arrivals, now=0)).split()
        assert order == ["a1", "a2", "b1", "b2"]


def test_a_message_waits_for_its_senders_earlier_one_even_if_its_parent_is_there() -> None:
    engine = group("semantic+fifo")
    assert delivered(engine.receive_all([say("a1"), say("b2", "a1")], now=0)) == "a1"
    assert delivered(engine.receive(say("b1"), now=0)) == "b1 b2"


def test_who_answers_its_own_later_message_asks_for_itself() -> None:
    for give_up in GiveUp:
        engine = group("semantic+fifo", give_up=give_up)
        events = engine.receive_all([say("a1"), say("a2", "a1", "a9"), say("a9")], now=0)
        assert delivered(events) == "a1"
        assert quarantined(events) == {"a2": "self_parent"}
        assert engine.why(ident("a9")).missing == UpTo(ident("a9").sender, 8)


def test_what_follows_a_given_up_parent_in_its_senders_order_does_not_wait_for_it_again() -> None:
    said = [say("a1"), say("a2"), say("b1", "a3")]
    for give_up in (GiveUp.RELEASE, GiveUp.QUARANTINE):
        engine = group("semantic+fifo", give_up=give_up)
        assert delivered(engine.receive_all(said, now=0)) == "a1 a2"
        engine.advance(PATIENCE_US)
        later = engine.receive_all([say("a4"), say("a5"), say("c1")], now=PATIENCE_US)
        assert engine.held_count == 0
        if give_up is GiveUp.RELEASE:
            assert delivered(later) == "a4 a5 c1"
            assert marks(later) == {"a4": {"parent_missing"}, "a5": {"parent_missing"}}
        else:
            assert delivered(later) == "c1"
            assert quarantined(later) == {"a4": "gave_up", "a5": "gave_up"}
            late = engine.receive_all([say("a3"), say("a4"), say("a5")], now=PATIENCE_US + 1)
            assert delivered(late) == "a3 a4 a5"
            assert marks(late) == {name: {"late"} for name in ("a3", "a4", "a5")}
