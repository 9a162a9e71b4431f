"""Raw records are sorted and opened; every datagram keeps where it came from."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from ingest.wire.bundle import pack
from ingest.wire.errors import WireReason
from ordering_udfs.raw_rows import Entries, RawRows, in_offset_order, open_bundles, unopened


def origins(entries: Entries) -> list[tuple[int, int, int]]:
    return list(zip(entries.offsets, entries.numbers, entries.captured_at, strict=True))


@pytest.mark.parametrize("as_entries", [unopened, open_bundles])
def test_plain_records_are_their_own_only_entries(as_entries: Callable[[RawRows], Entries]) -> None:
    entries = as_entries(RawRows([7, 8], [70, 80], [b"a", b"b"]))
    assert list(entries.contents) == [b"a", b"b"]
    assert origins(entries) == [(7, 0, 70), (8, 0, 80)]
    assert not entries.packed
    assert not entries.damage
    assert not entries.is_unopened(0)


def test_bundles_and_plain_records_are_opened_in_the_order_of_the_log() -> None:
    bundle = pack([(1, b"b"), (2, b"c")])
    entries = open_bundles(RawRows([7, 8, 9], [70, 80, 90], [b"a", bundle, b"d"]))
    assert list(entries.contents) == [b"a", b"b", b"c", b"d"]
    assert origins(entries) == [(7, 0, 70), (8, 0, 1), (8, 1, 2), (9, 0, 90)]
    assert entries.packed == {8}


def test_a_bundle_that_cannot_be_cut_is_one_entry_with_its_damage() -> None:
    damaged = pack([(1, b"b"), (2, b"c")])[:-1]
    entries = open_bundles(RawRows([7], [70], [damaged]))
    assert (list(entries.contents), origins(entries)) == ([damaged], [(7, 0, 70)])
    assert entries.damage[7].reason is WireReason.LENGTH_MISMATCH


def test_a_bundle_is_unopened_until_somebody_has_tried_to_cut_it() -> None:
    damaged = pack([(1, b"b"), (2, b"c")])[:-1]
    rows = RawRows([7, 8], [70, 80], [b"a", damaged])
    assert unopened(rows).is_unopened(1)
    assert rows.piece(1) == RawRows([8], [80], [damaged])
    assert not open_bundles(rows.piece(1)).is_unopened(0)


def test_a_bundle_within_a_bundle_is_no_unopened_one() -> None:
    entries = open_bundles(RawRows([7], [70], [pack([(1, pack([(2, b"c")]))])]))
    assert not entries.is_unopened(0)


def test_rows_are_sorted_by_offset_only_if_they_must_be() -> None:
    rows = RawRows([7, 8], [70, 80], [b"a", b"b"])
    assert in_offset_order(rows) is rows
    assert in_offset_order(RawRows([8, 7], [80, 70], [b"b", b"a"])) == rows
    empty = RawRows([], [], [])
    assert in_offset_order(empty) is empty
