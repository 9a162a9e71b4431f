from __future__ import annotations

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as some

from sinks.arrow_bytes import joined, large, parts, sizes, slices, structures


@given(some.lists(some.none() | some.binary(max_size=9)), some.integers(0, 5))
def test_what_is_taken_apart_is_put_together_again(
    values: list[bytes | None], passed_over: int
) -> None:
    array = pa.array(values, pa.binary())[passed_over:]
    data, starts, lengths = parts(array)
    kept = [value or b"" for value in values[passed_over:]]
    assert slices(data, starts, lengths).to_pylist() == kept
    halves = lengths // 2
    assert slices(data, starts + halves, lengths - halves).to_pylist() == [
        value[len(value) // 2 :] for value in kept
    ]


def test_numbers_are_read_where_they_stand() -> None:
    data, starts, _ = parts(pa.array([b"\x00\x07\x01", b"\x01\x00\x02--"], pa.binary()))
    found = structures(data, starts, [("number", ">u2"), ("kind", ">u1")])
    assert found["number"].tolist() == [7, 256]
    assert found["kind"].tolist() == [1, 2]
    assert len(structures(data, np.zeros(0, np.int64), [("number", ">u2")])) == 0


@given(some.lists(some.binary(max_size=9)))
def test_values_of_any_size_are_read_in_the_same_way(values: list[bytes]) -> None:
    data, starts, lengths = parts(large(values))
    assert slices(data, starts, lengths).to_pylist() == values
    assert sizes(large(pa.array(values, pa.binary()))).tolist() == [len(one) for one in values]


def test_pieces_are_joined_place_by_place() -> None:
    names = large([b"a", None, b""])
    assert joined(b"<", names, large([b"1", b"2", b"3"]), b">").to_pylist() == [
        b"<a1>",
        None,
        b"<3>",
    ]
    assert sizes(names).tolist() == [1, 0, 0]


def test_what_lies_between_slices_is_left_out() -> None:
    data = np.frombuffer(b"..aa.bbb.", np.uint8)
    starts, lengths = np.array([2, 4, 5]), np.array([2, 0, 3])
    assert slices(data, starts, lengths).to_pylist() == [b"aa", b"", b"bbb"]
