"""Laws of semantic order: a message comes after its parents and waits for nothing else."""

from __future__ import annotations

from itertools import permutations

from ordering.disciplines.semantic import make, requires
from ordering.policy import GroupPolicy
from tests.ordering.memories import FAR
from tests.ordering.messages import delivered, group, ident, say

DIAMOND = (say("a1"), say("b1", "a1"), say("c1", "a1"), say("d1", "b1", "c1"))


def test_exactly_the_parents_are_required_in_the_order_they_were_named() -> None:
    assert requires(say("a1")) == ()
    assert requires(say("c1", "b7", "a2")) == (ident("b7"), ident("a2"))
    assert make(GroupPolicy()).requires is requires


def test_in_every_order_of_arrival_a_diamond_is_delivered_parents_first() -> None:
    for arrivals in permutations(DIAMOND):
        order = delivered(group().receive_all(arrivals, now=0)).split()
        assert sorted(order) == ["a1", "b1", "c1", "d1"]
        assert order[0] == "a1"
        assert order[-1] == "d1"


def test_a_senders_own_earlier_messages_are_not_waited_for() -> None:
    assert delivered(group().receive_all([say("a3"), say(f"a{10**6}"), say("a1")], now=0)) == (
        f"a3 a{10**6} a1"
    )


def test_a_message_never_waits_for_one_that_is_not_its_ancestor() -> None:
    engine = group()
    engine.receive(say("b1", f"z{FAR}"), now=0)
    assert delivered(engine.receive_all([say("b2"), say("c1", "b2")], now=0)) == "b2 c1"
    assert engine.held_count == 1
