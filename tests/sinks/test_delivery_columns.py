"""The fast way to rows of `deliveries` gives what the careful way gives, or leaves them to it."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as some

from ingest.wire.envelope import Envelope, Kind, encode
from sinks.decoding import arrow_schema, delivery_row
from sinks.delivery_columns import plain_columns
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from sinks.tables import DELIVERIES
from tests.ingest.envelopes import envelopes
from tests.messages import wire


def record(envelope: bytes, marks: MarkBits = MarkBits.NONE, ordinal: int = 9) -> bytes:
    return encode_ordered(OrderedRecord(ordinal, 7, 1, Origin(5, 2, 3), marks, envelope))


def plain_rows(
    keys: list[bytes | None], values: list[bytes | None], *, before: int = 0
) -> tuple[list[bool], list[dict[str, Any]]]:
    """What the fast way gives for records that stand behind some others in their array."""
    arrays = [pa.array([b"?"] * before + one, pa.binary())[before:] for one in (keys, values)]
    is_plain, columns = plain_columns(*arrays)
    rows = [dict(zip(columns, row, strict=True)) for row in zip(*columns.values(), strict=True)]
    plain = [{name: value.as_py() for name, value in row.items()} for row in rows]
    return is_plain.tolist(), plain


def is_plain(envelope: Envelope) -> bool:
    return (
        envelope.kind is Kind.MESSAGE
        and envelope.stamps is None
        and not envelope.tag
        and len(envelope.parents) < 2
    )


@given(some.lists(envelopes(), max_size=8), some.integers(0, 3))
def test_plain_records_are_the_rows_that_the_careful_way_gives(
    several: list[Envelope], before: int
) -> None:
    keys = [one.group.encode() for one in several]
    values = [record(encode(one), ordinal=at + 1) for at, one in enumerate(several)]
    told, rows = plain_rows([*keys], [*values], before=before)
    assert told == [is_plain(one) for one in several]
    others = dict.fromkeys(column.name for column in DELIVERIES.columns)
    careful = [delivery_row(*one) for one in zip(keys, values, strict=True)]
    expected = [row for row, is_so in zip(careful, told, strict=True) if is_so]
    assert [others | row for row in rows] == [others | row for row in expected]


@given(some.lists(some.binary(max_size=200), max_size=5), envelopes(), some.data())
def test_any_bytes_among_them_change_nothing(
    junk: list[bytes], envelope: Envelope, data: some.DataObject
) -> None:
    key, whole = envelope.group.encode(), record(encode(envelope))
    place = data.draw(some.integers(0, len(whole) - 1))
    damaged = whole[:place] + bytes([whole[place] ^ data.draw(some.integers(1, 255))])
    values = [*junk, damaged + whole[place + 1 :], damaged, whole]
    told, rows = plain_rows([key] * len(values), [*values])
    assert len(rows) == sum(told)
    assert not any(told[: len(junk)])
    assert told[-1] == is_plain(envelope)
    careful = [delivery_row(key, one) for one, is_so in zip(values, told, strict=True) if is_so]
    assert [row["id"] for row in rows] == [row["id"] for row in careful]


def test_marks_damage_and_another_key_are_for_the_careful_way() -> None:
    value = record(wire("a", 1))
    strange = record(wire("a", 1).replace(b"g", b"\xff", 1))
    far = record(wire("a", 1), ordinal=2**63)
    others: list[bytes | None] = [
        record(wire("a", 1), MarkBits.LATE), far, None, b"", value[:-1], value[:40],
        b"x" + value[1:],
    ]  # fmt: skip
    told, rows = plain_rows(
        [b"g", b"h", None, b"\xff", *([b"g"] * len(others))],
        [value, value, value, strange, *others],
    )
    assert told == [True] + [False] * (3 + len(others))
    assert [row["id"] for row in rows] == ["a#1:1"]


def test_no_record_is_no_row() -> None:
    assert plain_rows([], []) == ([], [])
    assert plain_rows([None], [None]) == ([False], [])


def test_its_columns_are_columns_of_the_table() -> None:
    none = pa.array([], pa.binary())
    assert set(plain_columns(none, none)[1]) < set(arrow_schema(DELIVERIES).names)
