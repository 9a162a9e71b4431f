"""Laws of ordering lists: they answer as plain sets of delivered and of skipped seqs would."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ordering import runs as run
from ordering.ordering_list import LOOSE_LIMIT, OrderingList
from tests.ordering.memories import FAR
from tests.ordering.untimed import untimed

HIGHEST = 24
SEQS = st.integers(1, HIGHEST)
ACTIONS = st.lists(st.tuples(st.sampled_from(("add", "skip", "fold")), SEQS))


def play(actions: list[tuple[str, int]]) -> tuple[OrderingList, set[int], set[int]]:
    """Do the same to a list and to two sets; a seq is delivered once and skipped only before."""
    one, delivered, skipped = OrderingList(), set[int](), set[int]()
    for action, seq in actions:
        if action == "fold":
            one.fold()
        elif seq not in delivered and action == "add":
            one.add(seq)
            delivered.add(seq)
            skipped.discard(seq)
        elif seq not in delivered:
            one.skip(seq, seq)
            skipped.add(seq)
    return one, delivered, skipped


@untimed
@given(ACTIONS)
def test_the_list_contains_what_was_delivered_and_nothing_else(
    actions: list[tuple[str, int]],
) -> None:
    one, delivered, skipped = play(actions)
    seqs = range(-1, HIGHEST + 2)
    assert {seq for seq in seqs if one.contains(seq)} == delivered
    assert {seq for seq in seqs if one.is_skipped(seq)} == skipped
    assert one.delivered_runs() == run.from_numbers(delivered)


def test_lists_that_have_nothing_share_it_and_cannot_spoil_it_for_each_other() -> None:
    one, other = OrderingList(), OrderingList()
    one.add(3)
    one.skip(1, 1)
    assert (one.next, one.runs_beyond(), one.skipped) == (2, [3, 3], [1, 1])
    assert not any((other.loose, other.runs, other.skipped))
    with pytest.raises(AttributeError):
        other.loose.add(1)
    with pytest.raises(TypeError):
        run.add_range(other.runs, 1, 1)


@untimed
@given(ACTIONS)
def test_next_is_the_first_seq_that_is_neither_delivered_nor_skipped(
    actions: list[tuple[str, int]],
) -> None:
    one, delivered, skipped = play(actions)
    passed = delivered | skipped
    assert one.next == next(seq for seq in range(1, HIGHEST + 2) if seq not in passed)
    assert run.from_numbers(seq for seq in delivered if seq > one.next) == one.runs_beyond()


@untimed
@given(ACTIONS, SEQS)
def test_something_up_to_a_seq_is_skipped_if_any_seq_up_to_it_is(
    actions: list[tuple[str, int]], seq: int
) -> None:
    one, _, skipped = play(actions)
    assert one.has_skipped_up_to(seq) == any(given_up <= seq for given_up in skipped)


@untimed
@given(st.sets(SEQS, min_size=1), st.integers(0, 6))
def test_settling_forgets_the_lowest_gaps_and_keeps_the_rest(seqs: set[int], limit: int) -> None:
    one = OrderingList()
    for seq in seqs:
        one.add(seq)
    gaps = run.gaps(one.delivered_runs())
    one.settle_gaps(limit)
    assert run.gaps(one.delivered_runs()) == min(gaps, limit)
    assert all(one.contains(seq) for seq in range(1, one.floor + 1))
    above = set(range(one.floor + 1, HIGHEST + 2))
    assert {seq for seq in above if one.contains(seq)} == seqs & above
    assert (one.floor > 0) == (gaps > limit)


@untimed
@given(st.sets(SEQS))
def test_the_highest_is_the_highest_delivered(seqs: set[int]) -> None:
    one = OrderingList()
    for seq in seqs:
        one.add(seq)
    assert one.highest() == max(seqs, default=0)


def test_a_fresh_list_has_nothing() -> None:
    one = OrderingList()
    assert (one.next, one.highest(), one.delivered_runs()) == (1, 0, [])
    assert not one.contains(0)
    assert not one.contains(1)


def test_more_loose_deliveries_than_the_limit_are_packed_and_still_known() -> None:
    one = OrderingList()
    seqs = range(3, 3 + 4 * LOOSE_LIMIT, 2)
    for seq in seqs:
        one.add(seq)
    assert len(one.loose) <= LOOSE_LIMIT
    assert all(one.contains(seq) and not one.contains(seq + 1) for seq in seqs)
    assert run.size(one.delivered_runs()) == len(seqs)


def test_a_far_jump_costs_one_run() -> None:
    one = OrderingList()
    one.add(1)
    one.add(FAR)
    one.fold()
    assert one.delivered_runs() == [1, 1, FAR, FAR]
    one.skip(2, FAR - 1)
    assert one.next == FAR + 1
    assert not one.contains(FAR - 1)


def test_a_seq_that_comes_after_it_was_skipped_is_delivered() -> None:
    one = OrderingList()
    one.skip(1, 3)
    one.add(2)
    assert one.contains(2)
    assert not one.is_skipped(2)
    assert one.next == 4
    assert one.delivered_runs() == [2, 2]


def test_what_is_skipped_beyond_the_prefix_counts_as_the_highest() -> None:
    one = OrderingList()
    one.add(1)
    one.skip(7, 9)
    assert (one.next, one.highest()) == (2, 9)


@untimed
@given(ACTIONS, SEQS)
def test_what_is_forgotten_is_as_if_it_had_never_come(
    actions: list[tuple[str, int]], seq: int
) -> None:
    one, delivered, skipped = play(actions)
    one.forget(seq)
    delivered.discard(seq)
    seqs = range(-1, HIGHEST + 2)
    assert [one.contains(each) for each in seqs] == [each in delivered for each in seqs]
    assert [one.is_skipped(each) for each in seqs] == [each in skipped for each in seqs]
    there = delivered | skipped
    assert one.next == next(each for each in range(1, HIGHEST + 2) if each not in there)
