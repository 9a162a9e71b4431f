"""Laws of chains: each ends at what it hangs from, and one that hangs from itself is seen."""

from __future__ import annotations

from ordering.chains import (
    above,
    closes_cycle,
    count_below,
    end_of_chain,
    take_subtree,
    waiting_for,
)
from ordering.events import Event
from ordering.member import DEAD, MESSAGE, SEQ, SINCE_AT, Node
from ordering.receiving import receive_carefully
from ordering.state import GroupState
from ordering.waiting import own_node
from tests.ordering.memories import memory
from tests.ordering.messages import ident, quarantined, say, spell

LONG = 5_000


def holding(*messages: tuple[str, ...]) -> GroupState:
    """A group that holds messages, each with its parents."""
    state = memory()
    receive_carefully(state, [say(*names) for names in messages], [])
    return state


def node(state: GroupState, name: str) -> Node:
    message_id = ident(name)
    return state.members[message_id.sender].nodes[message_id.seq]


def names(nodes: list[Node]) -> str:
    return " ".join(spell(one[MESSAGE].id) for one in nodes)


def test_a_held_message_waits_at_its_parent_whether_that_is_held_or_missing() -> None:
    state = holding(("b1", "a1"), ("c1", "b1"))
    assert above(state, node(state, "c1")) is node(state, "b1")
    assert above(state, node(state, "b1")) is node(state, "a1")
    assert waiting_for(node(state, "c1")) == ident("b1")


def test_all_of_a_chain_ends_at_the_one_thing_that_is_missing() -> None:
    state = holding(("b1", "a1"), ("c1", "b1"), ("d1", "c1"), ("e1", "c1"))
    for name in ("a1", "b1", "c1", "d1", "e1"):
        assert end_of_chain(state, node(state, name)) is node(state, "a1")


def test_an_end_moves_on_when_what_was_missing_is_held_itself() -> None:
    state = holding(("b1", "a1"), ("c1", "b1"), ("d1", "c1"))
    end_of_chain(state, node(state, "d1"))
    receive_carefully(state, [say("a1", "z1")], [])
    assert end_of_chain(state, node(state, "d1")) is node(state, "z1")


def test_a_message_of_several_parents_waits_at_one_after_the_other() -> None:
    state = holding(("c1", "a1", "b1"))
    assert waiting_for(node(state, "c1")) == ident("a1")
    receive_carefully(state, [say("a1")], [])
    assert waiting_for(node(state, "c1")) == ident("b1")
    assert above(state, node(state, "c1")) is node(state, "b1")


def test_only_a_message_that_its_own_chain_waits_for_closes_a_cycle() -> None:
    state = holding(("b1", "a1"), ("c1", "b1"))
    missing = node(state, "a1")
    assert closes_cycle(state, missing, node(state, "c1"))
    assert closes_cycle(state, missing, node(state, "b1"))
    stranger = own_node(state.member("d#1"), 1)
    assert not closes_cycle(state, stranger, node(state, "c1"))


def test_a_subtree_is_taken_depth_first_and_is_no_longer_held() -> None:
    state = holding(("b1", "a1"), ("c1", "a1"), ("d1", "b1"), ("e1", "z1"))
    missing = node(state, "a1")
    assert count_below(missing) == 3
    del state.members["a#1"].nodes[1]
    taken = take_subtree(state, missing)
    assert names(taken) == "b1 d1 c1"
    assert all(one[SINCE_AT] is DEAD for one in (missing, *taken))
    assert state.held_count == 1
    assert state.members["b#1"].nodes == {}


def test_nothing_hangs_from_a_leaf() -> None:
    state = holding(("b1", "a1"))
    leaf = node(state, "b1")
    assert count_below(leaf) == 0
    del state.members["b#1"].nodes[leaf[SEQ]]
    assert take_subtree(state, leaf) == []


def test_a_long_chain_is_followed_counted_and_closed_without_recursion() -> None:
    state, events = memory(), list[Event]()
    receive_carefully(state, [say(f"a{seq}", f"a{seq - 1}") for seq in range(LONG, 1, -1)], [])
    end = node(state, "a1")
    assert end_of_chain(state, node(state, f"a{LONG}")) is end
    assert count_below(end) == LONG - 1
    receive_carefully(state, [say("a1", f"a{LONG}")], events)
    assert len(quarantined(events)) == LONG
    assert state.held_count == 0
