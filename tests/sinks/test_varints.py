"""Numbers are written as Kafka's own Python client writes them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as some
from kafka.record.util import encode_varint

from sinks import varints
from sinks.varints import VARINTS, write_varint


@given(some.integers(-(2**63), 2**63 - 1) | some.integers(-200, 70_000))
def test_every_number_is_written_as_the_client_writes_it(number: int) -> None:
    expected = bytearray()
    encode_varint(number, expected.append)
    assert write_varint(number) == VARINTS[number] == VARINTS[number] == expected


def test_a_number_beyond_those_that_are_kept_is_written_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(varints, "_MOST_KEPT", 0)
    assert VARINTS[987_654_321] == write_varint(987_654_321)
    assert 987_654_321 not in VARINTS


@given(some.lists(some.integers(0, 2**63 - 1) | some.integers(0, 20_000)))
def test_many_at_once_are_written_as_each_by_itself(numbers: list[int]) -> None:
    found = varints.varints(np.array(numbers, np.int64)).to_pylist()
    assert found == [write_varint(number) for number in numbers]
