"""Sorted disjoint runs of numbers, kept flat: `[low, high, low, high, ...]`, both ends included.

This is the papers' ordering list. A flat list of plain integers is what `bisect` searches fastest
and what a snapshot stores as it is.

    {1, 2, 3, 7, 8, 12}  ->  [1, 3, 7, 8, 12, 12]

Two runs never touch: `[1, 3, 4, 8]` is always written `[1, 8]`.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, TypeAlias, cast

Runs: TypeAlias = list[int]

NO_RUNS: Final = cast(Runs, ())
"""No runs, for the very many who have none: one for all of them, and nobody can add to it."""


def contains(runs: Runs, number: int) -> bool:
    """Tell whether a run covers the number, in O(log runs)."""
    # An odd count of ends at or below the number means that a run has begun and not ended; a run
    # that ends exactly here makes the count even, so the end itself is compared.
    ends = bisect_right(runs, number)
    return ends % 2 == 1 or (ends > 0 and runs[ends - 1] == number)


def end_of_run(runs: Runs, number: int) -> int:
    """Give the first number from `number` on that no run covers."""
    ends = bisect_right(runs, number)
    if ends % 2 == 1:
        return runs[ends] + 1
    return number + 1 if ends > 0 and runs[ends - 1] == number else number


def add_range(runs: Runs, low: int, high: int) -> None:
    """Cover low..high in place, joining every run that it overlaps or touches.

    1. Find the first run that ends at low - 1 or later: `first` is the index of its low end.
    2. Find the last run that begins at high + 1 or earlier: `last` is just past its high end.
    3. Replace them all by one run.

        [1, 3, 7, 8, 12, 12]  add 4..7  ->  [1, 8, 12, 12]
    """
    first = bisect_left(runs, low - 1)
    first -= first % 2
    last = bisect_right(runs, high + 1)
    last += last % 2
    if first < last:
        low = min(low, runs[first])
        high = max(high, runs[last - 1])
    runs[first:last] = [low, high]


def remove(runs: Runs, number: int) -> None:
    """Uncover one number in place; nothing happens if it is not covered."""
    if not contains(runs, number):
        return
    first = bisect_right(runs, number)
    first -= 1 if first % 2 else 2
    low, high = runs[first], runs[first + 1]
    left = [low, number - 1] if low < number else []
    right = [number + 1, high] if number < high else []
    runs[first : first + 2] = left + right


def from_numbers(numbers: Iterable[int]) -> Runs:
    """Make runs of any numbers, in any order, repeats allowed."""
    runs: Runs = []
    for number in sorted(numbers):
        if runs and number <= runs[-1] + 1:
            runs[-1] = number
        else:
            runs += (number, number)
    return runs


def union(left: Runs, right: Runs) -> Runs:
    """Make the runs that cover what either covers, in time linear in both."""
    joined: Runs = []
    for low, high in sorted([*pairs(left), *pairs(right)]):
        if joined and low <= joined[-1] + 1:
            joined[-1] = max(joined[-1], high)
        else:
            joined += (low, high)
    return joined


def subtract(left: Runs, right: Runs) -> Runs:
    """Make the runs that cover what `left` covers and `right` does not."""
    rest: Runs = []
    holes = pairs(right)
    at = 0
    for low, high in pairs(left):
        while at < len(holes) and holes[at][1] < low:
            at += 1
        hole = at
        while hole < len(holes) and holes[hole][0] <= high:
            if low < holes[hole][0]:
                rest += (low, holes[hole][0] - 1)
            low = holes[hole][1] + 1
            hole += 1
        if low <= high:
            rest += (low, high)
    return rest


def pairs(runs: Runs) -> list[tuple[int, int]]:
    """Give the runs as (low, high) pairs."""
    return list(zip(runs[::2], runs[1::2], strict=True))


def size(runs: Runs) -> int:
    """Count the numbers that are covered."""
    return sum(runs[1::2]) - sum(runs[::2]) + len(runs) // 2


def gaps(runs: Runs) -> int:
    """Count the gaps between runs, and the one before the first if it does not begin at 1."""
    return len(runs) // 2 - (1 if runs and runs[0] == 1 else 0)
