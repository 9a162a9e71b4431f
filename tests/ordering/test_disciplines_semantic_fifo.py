"""Laws of semantic order with first in, first out: after its parents and its sender's earlier."""

from __future__ import annotations

from itertools import permutations

from ordering.disciplines.semantic_fifo import requires
from ordering.requirement import UpTo
from tests.ordering.messages import delivered, group, ident, say


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


def test_answering_ones_own_next_message_is_a_cycle() -> None:
    engine = group("semantic+fifo")
    engine.receive_all([say("a1", "a2"), say("a2")], now=0)
    assert (engine.delivered_count, engine.held_count) == (0, 0)
