"""A glance at the heads says which records are new, as a careful reader of them would."""

from __future__ import annotations

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as some

from sinks.new_records import NewRecords
from sinks.records import HEAD_BYTES, MarkBits, OrderedRecord, Origin, encode_ordered


def head(ordinal: int, partition: int = 0) -> bytes:
    record = OrderedRecord(ordinal, 3, partition, Origin(1, 0, 0), MarkBits.LATE, b"")
    return encode_ordered(record)


def are_new(new: NewRecords, *records: bytes) -> list[bool]:
    flags: list[bool] = new.are_new(pa.array(records, pa.binary())).tolist()
    return flags


def test_what_goes_back_is_a_repeat_within_a_piece_and_between_pieces() -> None:
    new = NewRecords({0: 4})
    again = [head(one) for one in (5, 6, 5, 6, 7)]
    assert are_new(new, *again) == [True, True, False, False, True]
    assert are_new(new, *again) == [False] * 5
    assert are_new(new, head(8), head(4)) == [True, False]
    assert (new.last, new.holes) == ({0: 8}, [])


def test_each_partition_has_its_own_ordinals() -> None:
    new = NewRecords({1: 9})
    assert are_new(new, head(1), head(9, 1), head(2), head(10, 1)) == [True, False, True, True]
    assert new.last == {0: 2, 1: 10}


def test_what_is_passed_over_is_told() -> None:
    new = NewRecords({})
    are_new(new, head(1), head(4), head(4), head(5), head(2, 1))
    assert new.holes == [
        "ordinals 2 to 3 of partition 0 are missing; run precede verify",
        "ordinals 1 to 1 of partition 1 are missing; run precede verify",
    ]


def test_what_is_none_of_ours_is_left_to_those_who_decode_it() -> None:
    foreign = [b"", b"junk", head(1)[: HEAD_BYTES - 1], b"x" * HEAD_BYTES, head(0)]
    new = NewRecords({})
    assert are_new(new, *foreign) == [True] * 5
    assert are_new(new) == []
    assert (new.last, new.holes) == ({}, [])


@given(some.lists(some.tuples(some.integers(0, 2), some.integers(1, 9))), some.integers(1, 4))
def test_it_agrees_with_one_record_after_the_other(
    log: list[tuple[int, int]], at_once: int
) -> None:
    greatest: dict[int, int] = {}
    expected = []
    for partition, ordinal in log:
        expected.append(ordinal > greatest.get(partition, 0))
        greatest[partition] = max(ordinal, greatest.get(partition, 0))
    new = NewRecords({})
    records = [head(ordinal, partition) for partition, ordinal in log]
    found = []
    for begin in range(0, len(records), at_once):
        found += are_new(new, *records[begin : begin + at_once])
    assert found == expected
    assert new.last == greatest
