"""Laws of runs: they are a set of numbers, written as sorted ends that never touch."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ordering import runs as run
from tests.ordering.memories import FAR
from tests.ordering.untimed import untimed

NUMBERS = st.integers(1, 30)
SETS = st.sets(NUMBERS)


def covered(runs: run.Runs) -> set[int]:
    return {number for low, high in run.pairs(runs) for number in range(low, high + 1)}


def is_well_formed(runs: run.Runs) -> bool:
    """Low and high in turn, each run at least one number away from the next."""
    ends = run.pairs(runs)
    apart = all(one[1] + 1 < two[0] for one, two in pairwise(ends))
    return apart and all(low <= high for low, high in ends)


@untimed
@given(st.lists(NUMBERS))
def test_runs_made_of_numbers_cover_exactly_those_in_any_order_and_repeated(
    numbers: list[int],
) -> None:
    runs = run.from_numbers(numbers)
    assert is_well_formed(runs)
    assert covered(runs) == set(numbers)
    assert run.size(runs) == len(set(numbers))


@untimed
@given(SETS, NUMBERS)
def test_a_number_is_contained_if_and_only_if_a_run_covers_it(numbers: set[int], one: int) -> None:
    assert run.contains(run.from_numbers(numbers), one) == (one in numbers)


@untimed
@given(SETS, NUMBERS)
def test_the_end_of_a_run_is_the_first_number_that_is_not_covered(
    numbers: set[int], first: int
) -> None:
    expected = next(number for number in range(first, 99) if number not in numbers)
    assert run.end_of_run(run.from_numbers(numbers), first) == expected


@untimed
@given(SETS, NUMBERS, st.integers(0, 10))
def test_adding_a_range_covers_it_and_loses_nothing(numbers: set[int], low: int, more: int) -> None:
    runs = run.from_numbers(numbers)
    run.add_range(runs, low, low + more)
    assert is_well_formed(runs)
    assert covered(runs) == numbers | set(range(low, low + more + 1))


@untimed
@given(SETS, NUMBERS)
def test_removing_a_number_uncovers_it_alone(numbers: set[int], one: int) -> None:
    runs = run.from_numbers(numbers)
    run.remove(runs, one)
    assert is_well_formed(runs)
    assert covered(runs) == numbers - {one}


@untimed
@given(SETS, SETS)
def test_union_and_difference_are_those_of_sets(left: set[int], right: set[int]) -> None:
    one, two = run.from_numbers(left), run.from_numbers(right)
    assert run.union(one, two) == run.from_numbers(left | right)
    assert run.subtract(one, two) == run.from_numbers(left - right)
    assert covered(one) == left
    assert covered(two) == right


@untimed
@given(SETS)
def test_a_gap_is_what_lies_before_a_run_and_was_not_covered(numbers: set[int]) -> None:
    before = {number for number in numbers if number > 1 and number - 1 not in numbers}
    assert run.gaps(run.from_numbers(numbers)) == len(before)


def test_runs_of_nothing_contain_nothing_and_end_where_they_are_asked() -> None:
    assert not run.contains([], 1)
    assert run.end_of_run([], 7) == 7
    assert run.size([]) == run.gaps([]) == 0
    assert run.union([], []) == run.subtract([], [1, 5]) == run.from_numbers([]) == []


def test_ranges_that_only_touch_become_one_run() -> None:
    runs = [1, 3, 8, 9]
    run.add_range(runs, 4, 7)
    assert runs == [1, 9]


def test_far_numbers_cost_no_more_than_near_ones() -> None:
    runs = [1, FAR]
    assert run.size(runs) == FAR
    run.remove(runs, FAR // 2)
    assert runs == [1, FAR // 2 - 1, FAR // 2 + 1, FAR]
    assert run.subtract(runs, [2, FAR - 1]) == [1, 1, FAR, FAR]
    assert run.end_of_run(runs, 1) == FAR // 2
