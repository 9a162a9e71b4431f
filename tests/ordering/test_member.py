"""Laws of a member's record: who waits at a node comes in order, and what was received is known."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ordering.member import (
    CHILDREN,
    MEMBERS,
    RECEIVED,
    Member,
    Node,
    Progress,
    children_of,
    progress_of,
    push_children,
    requirement_of,
)
from ordering.requirement import UpTo
from ordering.values import MemberId
from ordering.waiting import own_node, wait_at
from tests.ordering.memories import FAR
from tests.ordering.messages import ident, say
from tests.ordering.untimed import untimed


def new_member(pid: str = "a#1") -> Member:
    return Member(MemberId(pid))


def missing(member: Member, seq: int) -> Node:
    node: Node = [0, None, member, seq, None, None, None]
    member.nodes[seq] = node
    return node


def held(member: Member, seq: int) -> Node:
    node: Node = [RECEIVED, say(f"a{seq}"), member, seq, None, None, None]
    member.nodes[seq] = node
    return node


@untimed
@given(st.integers(0, 6))
def test_those_who_wait_are_listed_first_come_first_and_taken_from_a_stack_so(count: int) -> None:
    member = new_member()
    target, waiters = missing(member, 1), [held(member, seq) for seq in range(2, 2 + count)]
    for node in waiters:
        wait_at(node, Progress((ident("a1"),), step=0, held_at=0), target, [])
    assert children_of(target) == waiters
    stack: list[Node] = []
    push_children(target, stack)
    assert [stack.pop() for _ in range(count)] == waiters
    assert (target[CHILDREN] is None) == (count == 0)


def test_a_member_that_has_not_sent_has_received_nothing_and_takes_no_fast_way() -> None:
    member = new_member()
    assert member.highest_received() == 0
    assert member.first_seen_at is None
    assert member.ceiling < 1
    assert member.label == (MEMBERS, "a#1")


@untimed
@given(st.sets(st.integers(1, 20)), st.sets(st.integers(1, 20)), st.sets(st.integers(1, 20)))
def test_the_highest_received_is_delivered_or_held_and_never_only_missing(
    delivered: set[int], kept: set[int], asked: set[int]
) -> None:
    member = new_member()
    for seq in delivered:
        member.add(seq)
    for seq in asked:
        missing(member, seq)
    for seq in kept:
        held(member, seq)
    missing(member, FAR)
    assert member.highest_received() == max(delivered | kept, default=0)


def test_a_missing_node_stands_for_its_id_or_for_what_its_first_waiter_stated() -> None:
    member = new_member()
    node = missing(member, 3)
    assert requirement_of(node) == ident("a3")
    node[-1] = UpTo(member.pid, 3)
    assert requirement_of(node) == UpTo(member.pid, 3)


def test_a_message_with_a_single_parent_needs_no_record_of_progress() -> None:
    assert progress_of(held(new_member(), 1)) is None


def test_the_node_of_a_message_is_the_one_that_others_wait_at() -> None:
    member = new_member()
    assert own_node(member, 1)[CHILDREN] is None
    assert member.nodes == {}
    assert own_node(member, 1) is not missing(member, 1)
    assert own_node(member, 1) is member.nodes[1]
