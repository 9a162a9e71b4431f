"""Laws of a group's memory: what is looked up is found, what was given up is remembered fairly."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ordering.frontier import key_for
from ordering.policy import GroupPolicy, Limits
from ordering.requirement import Measure
from ordering.state import BEGINNING_AT, GroupState
from ordering.values import MemberId, MessageId
from tests.ordering.memories import memory
from tests.ordering.messages import ident
from tests.ordering.untimed import untimed

ROOM = 2
KEPT_US = 10


def forgetful(*, room: int = ROOM) -> GroupState:
    limits = Limits(abandoned_per_sender=room, abandoned_us=KEPT_US)
    state = memory(GroupPolicy(limits=limits))
    state.now = 0
    return state


def test_a_fresh_group_is_before_every_instant_and_has_nothing() -> None:
    state = memory()
    assert state.now == BEGINNING_AT < -(10**18)
    assert (state.position, state.held_count, list(state.owners())) == (0, 0, [])


def test_a_member_and_a_frontier_are_made_once() -> None:
    state, key = memory(), key_for("a#2", Measure.CAPTURED)
    member, frontier = state.member("a#2"), state.frontier(key)
    assert (member.name, member.incarnation) == ("a", 2)
    assert state.member("a#2") is member
    assert state.frontier(key) is frontier
    assert list(state.owners()) == [member, frontier]


def test_a_node_is_found_by_label_and_a_pid_that_looks_like_a_key_is_told_apart() -> None:
    state, key = memory(), key_for("a#1", Measure.CAPTURED)
    member, frontier = state.member(key), state.frontier(key)
    member.nodes[1] = [0, None, member, 1, None, None, None]
    assert state.node(member.label, 1) is member.nodes[1]
    assert state.node(frontier.label, 1) is None
    assert state.node((0, "nobody#1"), 1) is None


def test_incarnations_up_to_the_retired_one_are_retired() -> None:
    state = memory()
    assert not state.is_retired("a#0")
    state.retired["a"] = 2
    retired = [pid for pid in ("a#1", "a#2", "a#3", "b#1", "a") if state.is_retired(pid)]
    assert retired == ["a#1", "a#2", "a"]


def test_a_given_up_id_is_remembered_for_its_time_and_no_longer() -> None:
    state = forgetful()
    state.abandon(ident("z1"), account="a#1")
    state.now = KEPT_US - 1
    assert state.is_abandoned(ident("z1"))
    state.now = KEPT_US
    assert not state.is_abandoned(ident("z1"))


@untimed
@given(st.lists(st.tuples(st.sampled_from("abc"), st.integers(1, 6))), st.integers(0, 3))
def test_each_account_keeps_its_newest_ids_whatever_the_others_do(
    asked: list[tuple[str, int]], room: int
) -> None:
    state = forgetful(room=room)
    accounts: dict[str, list[MessageId]] = {account: [] for account in "abc"}
    for account, seq in asked:
        given_up = MessageId(MemberId("z#1"), seq)
        state.abandon(given_up, account=account)
        for ids in accounts.values():
            ids[:] = [one for one in ids if one != given_up]
        accounts[account] = [*accounts[account], given_up][-room:] if room else []
    kept = {one for ids in accounts.values() for one in ids}
    assert set(state.abandoned) == kept
    assert {one for one in kept if state.is_abandoned(one)} == kept
    assert {name: list(ids) for name, ids in state.abandoned_by.items()} == {
        account: ids for account, ids in accounts.items() if ids
    }


def test_forgetting_what_was_never_given_up_changes_nothing() -> None:
    state = forgetful()
    state.forget_abandoned(ident("z1"))
    assert state.abandoned == {}


def test_a_stranger_is_given_up_as_long_as_its_highest_id_is_remembered() -> None:
    state = forgetful()
    assert state.given_up_of_stranger("z#1") == 0
    state.abandon(ident("z4"), account="a#1")
    state.strangers["z#1"] = 4
    assert state.given_up_of_stranger("z#1") == 4
    state.now = KEPT_US
    assert state.given_up_of_stranger("z#1") == 0
    state.forget_abandoned(ident("z4"))
    assert state.strangers == {}
