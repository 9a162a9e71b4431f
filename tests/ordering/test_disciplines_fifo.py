"""Laws of first in, first out: each sender in its own order, and no sender waits for another."""

from __future__ import annotations

from itertools import permutations

from ordering.disciplines.fifo import requires
from ordering.requirement import UpTo
from tests.ordering.memories import FAR
from tests.ordering.messages import delivered, group, ident, say


def test_all_that_the_sender_sent_before_is_required() -> None:
    alice = ident("a1").sender
    assert [one for one in requires(say("a1")) if one.seq > 0] == []
    assert [one for one in requires(say("a2")) if one.seq > 0] == [UpTo(alice, 1)]
    assert list(requires(say(f"a{FAR}"))) == [UpTo(alice, FAR - 1)]


def test_in_every_order_of_arrival_each_sender_is_delivered_in_order() -> None:
    for arrivals in permutations((say("a1"), say("a2"), say("a3"), say("b1"), say("b2"))):
        order = delivered(group("fifo").receive_all(arrivals, now=0)).split()
        assert [name for name in order if name[0] == "a"] == ["a1", "a2", "a3"]
        assert [name for name in order if name[0] == "b"] == ["b1", "b2"]


def test_parents_are_not_waited_for() -> None:
    assert delivered(group("fifo").receive(say("a1", "z9"), now=0)) == "a1"


def test_a_message_that_is_missing_holds_up_its_own_sender_alone() -> None:
    engine = group("fifo")
    events = engine.receive_all([say("a2"), say("a3"), say("b1"), say("b2")], now=0)
    assert delivered(events) == "b1 b2"
    assert engine.held_count == 2
