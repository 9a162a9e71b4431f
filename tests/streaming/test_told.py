"""What the workers tell of a batch comes to the same, however often and in whatever order."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from streaming.told import Told, told_by_workers

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

NOTHING = Told({}, (), "")
TOLD = st.builds(
    Told,
    st.dictionaries(st.integers(0, 3), st.integers(1, 9)),
    st.lists(st.sampled_from(["a hole", "another"]), unique=True).map(tuple),
    st.sampled_from(["", "odd", "odder"]),
)


@given(TOLD, TOLD, TOLD)
def test_the_order_changes_only_which_problem_is_the_first(a: Told, b: Told, c: Told) -> None:
    assert a.put_to(b).put_to(c) == a.put_to(b.put_to(c))
    one, other = a.put_to(b), b.put_to(a)
    assert one.last == other.last
    assert set(one.holes) == set(other.holes)
    assert one.problem == (a.problem or b.problem)


@given(TOLD, TOLD)
def test_to_tell_it_twice_adds_nothing(a: Told, b: Told) -> None:
    assert NOTHING.put_to(a) == a == a.put_to(NOTHING) == a.put_to(a)
    assert a.put_to(b).put_to(a) == a.put_to(b)


def test_the_greatest_ordinal_of_each_partition_counts() -> None:
    assert Told({0: 5, 1: 2}, (), "").put_to(Told({0: 3, 2: 4}, (), "")).last == {0: 5, 1: 2, 2: 4}


@pytest.mark.spark
def test_what_the_workers_tell_reaches_the_driver(spark: SparkSession) -> None:
    place = told_by_workers(spark)
    assert place.value == NOTHING

    def tell(number: int) -> None:
        place.add(Told({number % 2: number}, (), "odd" if number == 3 else ""))

    spark.sparkContext.parallelize(range(8), 2).foreach(tell)
    assert place.value == Told({0: 6, 1: 7}, (), "odd")
    assert told_by_workers(spark).value == NOTHING
