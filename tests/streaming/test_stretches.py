"""Which stretch comes next: nothing is left out, nobody is left behind, and a bound is kept."""

from __future__ import annotations

import json

from hypothesis import given
from hypothesis import strategies as st

from sinks.protocol_client import Partition
from streaming.stretches import UNEVEN, Stretch, as_offsets, as_partitions, next_ends, stretches

PARTITIONS = [Partition("north", at) for at in range(3)]
PARTITIONS += [Partition("south", at) for at in range(12)]
OFFSETS = st.fixed_dictionaries(dict.fromkeys(PARTITIONS, st.integers(0, 2**40)))
WAITING = st.fixed_dictionaries(
    dict.fromkeys(PARTITIONS, st.sampled_from([0, 0, 1, 2, 900]) | st.integers(0, 10**7))
)
PACKED = st.dictionaries(st.sampled_from(PARTITIONS), st.floats(1, 4_096))
MESSAGES = st.integers(1, 10**6)
ROUNDED = 1 + 1e-9


@given(OFFSETS, WAITING, PACKED, MESSAGES)
def test_a_batch_goes_on_wherever_something_waits_and_never_beyond_its_end(
    start: dict[Partition, int],
    waiting: dict[Partition, int],
    packed: dict[Partition, float],
    messages: int,
) -> None:
    ends = {one: start[one] + count for one, count in waiting.items()}
    found = next_ends(start, ends, messages=messages, per_record=packed)
    assert list(found) == list(ends)
    for one, end in found.items():
        assert start[one] + min(1, waiting[one]) <= end <= ends[one]


@given(OFFSETS, WAITING, PACKED, MESSAGES)
def test_the_bound_is_kept_but_for_the_one_record_that_a_partition_always_has(
    start: dict[Partition, int],
    waiting: dict[Partition, int],
    packed: dict[Partition, float],
    messages: int,
) -> None:
    ends = {one: start[one] + count for one, count in waiting.items()}
    found = next_ends(start, ends, messages=messages, per_record=packed)
    total = sum(count * packed.get(one, 1) for one, count in waiting.items())
    if total <= messages:
        assert found == ends
        return
    taken = {one: found[one] - start[one] for one in PARTITIONS}
    bounded = sum(count * packed.get(one, 1) for one, count in taken.items() if count > 1)
    assert bounded <= messages * ROUNDED
    for one, count in taken.items():
        share = waiting[one] * messages / total
        assert abs(count - share) <= share * 2 * UNEVEN + ROUNDED, "each has its share"


def test_a_partition_with_twice_as_much_gives_twice_as_much_and_packed_records_weigh_more() -> None:
    start = dict.fromkeys(PARTITIONS[:3], 100)
    ends = dict(zip(PARTITIONS, (300, 500, 100), strict=False))
    found = next_ends(start, ends, messages=60, per_record={})
    assert list(found.values()) == [119, 140, 100]
    packed = next_ends(start, ends, messages=60, per_record={PARTITIONS[1]: 7})
    assert list(packed.values()) == [103, 108, 100]


def test_tasks_end_in_their_order_so_each_partition_gives_a_little_more_than_the_one_before() -> (
    None
):
    start = dict.fromkeys(PARTITIONS[:3], 0)
    ends = dict.fromkeys(reversed(PARTITIONS[:3]), 1_000_000)
    found = next_ends(start, ends, messages=300_000, per_record={})
    assert [found[one] for one in PARTITIONS[:3]] == [97_000, 100_000, 103_000]
    alone = next_ends(start, {PARTITIONS[0]: 100}, messages=50, per_record={})
    assert alone == {PARTITIONS[0]: 50}


@given(OFFSETS, WAITING)
def test_the_stretches_of_a_batch_are_all_that_lies_between_in_order(
    start: dict[Partition, int], waiting: dict[Partition, int]
) -> None:
    ends = {one: start[one] + count for one, count in reversed(waiting.items())}
    found = stretches(start, ends)
    assert found == [Stretch(*one, start[one], ends[one]) for one in PARTITIONS if waiting[one]]


@given(OFFSETS)
def test_offsets_come_back_from_the_text_that_spark_keeps(offsets: dict[Partition, int]) -> None:
    text = json.dumps(as_offsets(offsets))
    assert as_partitions(json.loads(text)) == offsets
    turned = dict(reversed(offsets.items()))
    assert json.dumps(as_offsets(turned)) == text, "Spark compares them as texts"


def test_what_an_earlier_release_left_is_read_and_written_in_the_same_form() -> None:
    kept = json.loads('{"p.raw":{"1":271,"0":102}}')
    assert as_partitions(kept) == {Partition("p.raw", 0): 102, Partition("p.raw", 1): 271}
    assert as_offsets(as_partitions(kept)) == kept
