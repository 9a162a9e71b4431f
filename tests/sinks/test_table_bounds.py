"""Bounds are never narrower than the rows, whatever the rows are."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as some

from sinks.table_bounds import Bounds

SCHEMA = pa.schema(
    [("group", pa.string()), ("position", pa.int64()), ("at", pa.timestamp("us", tz="UTC"))]
)


def bounds_of(*pieces: list[dict[str, Any]]) -> Any:
    bounds = Bounds(tuple(SCHEMA.names))
    for piece in pieces:
        bounds.add(pa.Table.from_pylist(piece, schema=SCHEMA))
    return json.loads(bounds.as_json())


def test_they_are_of_all_pieces_together() -> None:
    found = bounds_of(
        [{"group": "b", "position": 7, "at": 1_700_000_000_000_900}],
        [{"group": "a", "position": 9, "at": 1_700_000_000_000_200}, {"group": None}],
    )
    assert found == {
        "numRecords": 3,
        "minValues": {"group": "a", "position": 7, "at": "2023-11-14T22:13:20.000Z"},
        "maxValues": {"group": "b", "position": 9, "at": "2023-11-14T22:13:20.001Z"},
        "nullCount": {"group": 1, "position": 1, "at": 1},
    }


def test_a_column_without_a_value_has_none() -> None:
    found = bounds_of([{"group": "a"}], [{"group": "b"}])
    assert found["minValues"] == {"group": "a"}
    assert found["nullCount"] == {"group": 0, "position": 2, "at": 2}


def test_instants_that_delta_cannot_write_have_none() -> None:
    for at in (-1, 253_402_300_799_999_001, 2**62):
        found = bounds_of([{"at": at}, {"at": 5}])
        assert found["minValues"] == found["maxValues"] == {}


@given(some.lists(some.lists(some.text(max_size=3), min_size=1), min_size=1))
def test_names_are_compared_as_their_bytes_are(pieces: list[list[str]]) -> None:
    found = bounds_of(*([{"group": name} for name in piece] for piece in pieces))
    names = sorted((name for piece in pieces for name in piece), key=str.encode)
    assert found["minValues"]["group"] == names[0]
    assert found["maxValues"]["group"] == names[-1]
