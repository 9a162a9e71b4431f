"""Laws of capturing: what was received counts, whatever became of it, as far as there is no gap."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ordering import runs as run
from ordering.capturing import capture, captured_of, forget_captured, skip_uncaptured
from ordering.frontier import key_for
from ordering.policy import GroupPolicy
from ordering.receiving import receive_carefully
from ordering.requirement import Measure
from ordering.state import GroupState
from tests.ordering.memories import FAR, memory
from tests.ordering.messages import say
from tests.ordering.untimed import untimed

KEY = key_for("a#1", Measure.CAPTURED)
SEQS = st.sets(st.integers(1, 12), min_size=1)


def having(delivered: set[int], held: set[int]) -> GroupState:
    """A group that has delivered some of alice and holds others, and was asked of nobody."""
    state = memory(GroupPolicy("semantic"))
    messages = [say(f"a{seq}") for seq in sorted(delivered)]
    messages += [say(f"a{seq}", "z1") for seq in sorted(held - delivered)]
    receive_carefully(state, messages, [])
    return state


@untimed
@given(SEQS, SEQS)
def test_what_is_delivered_and_what_is_held_is_captured(
    delivered: set[int], held: set[int]
) -> None:
    state = having(delivered, held)
    captured = captured_of(state, state.members["a#1"])
    assert captured.delivered_runs() == run.from_numbers(delivered | held)
    assert captured_of(state, state.members["a#1"]) is captured


def test_nothing_is_noted_of_a_member_of_whom_nobody_has_asked() -> None:
    state = having({1}, set())
    assert capture(state, say("a1")) == []
    assert state.captured == {}


@untimed
@given(st.permutations(range(1, 8)))
def test_a_frontier_reaches_as_far_as_there_is_no_gap(order: list[int]) -> None:
    state = memory(GroupPolicy("none"))
    receive_carefully(state, [say(f"a{order[0]}")], [])
    captured_of(state, state.members["a#1"])
    seen = {order[0]}
    for seq in order[1:]:
        seen.add(seq)
        reached = next(one for one in range(9) if one + 1 not in seen)
        assert capture(state, say(f"a{seq}")) == [(KEY, reached)]
        assert capture(state, say(f"a{seq}")) == [(KEY, reached)]


def test_whoever_waits_at_the_frontier_has_asked() -> None:
    state = having({1}, set())
    state.frontier(KEY)
    assert capture(state, say("a1")) == [(KEY, 1)]


@untimed
@given(SEQS, SEQS, st.integers(1, 14))
def test_what_is_given_up_is_skipped_and_what_was_captured_is_not(
    delivered: set[int], held: set[int], seq: int
) -> None:
    state = having(delivered, held)
    member = state.members["a#1"]
    skip_uncaptured(state, member, seq)
    captured = captured_of(state, member)
    assert captured.next > seq
    assert captured.delivered_runs() == run.from_numbers(delivered | held)
    given_up = set(range(1, seq + 1)) - delivered - held
    assert {one for one in range(1, 16) if member.is_skipped(one)} == given_up
    assert {one for one in range(1, 16) if captured.is_skipped(one)} == given_up


def test_giving_up_far_ahead_costs_one_run() -> None:
    state = having({1}, {3})
    skip_uncaptured(state, state.members["a#1"], FAR)
    assert captured_of(state, state.members["a#1"]).skipped == [2, 2, 4, FAR]


def test_what_is_forgotten_must_be_captured_again() -> None:
    state = having({1, 2, 3}, {4})
    member = state.members["a#1"]
    assert captured_of(state, member).next == 5
    forget_captured(state, say("a4"))
    forget_captured(state, say("b1"))
    assert captured_of(state, member).next == 4
    assert capture(state, say("a4")) == [(KEY, 4)]
