"""Raw records as they come from Spark, and the datagrams in them.

A raw record is one datagram or a bundle of several. A datagram's origin is (offset, entry,
captured_at): a plain record's only entry is 0, captured at the record's own time.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import repeat
from typing import NamedTuple

from ingest.wire.bundle import cut, is_bundle
from ingest.wire.errors import WireError


class RawRows(NamedTuple):
    """Records of the raw topic, as columns."""

    offsets: Sequence[int]
    captured_at: Sequence[int]
    values: Sequence[bytes]

    def piece(self, begin: int, end: int | None = None) -> RawRows:
        """The records from a place on, to another or to the last."""
        return RawRows(self.offsets[begin:end], self.captured_at[begin:end], self.values[begin:end])


class Entries(NamedTuple):
    """Datagrams in the order of the log, as columns; `numbers` are their places in a bundle.

    `packed` has the offsets of the bundles, `damage` what is wrong with those that can't be cut:
    such a bundle is one entry, whole.
    """

    contents: Sequence[bytes]
    offsets: Sequence[int]
    numbers: Sequence[int]
    captured_at: Sequence[int]
    packed: frozenset[int]
    damage: dict[int, WireError]

    def origin(self, at: int) -> tuple[int, int, int]:
        """Where a datagram comes from, by its place in the columns."""
        return self.offsets[at], self.numbers[at], self.captured_at[at]

    def is_unopened(self, at: int) -> bool:
        """Whether there is a bundle at a place that nobody has tried to cut."""
        return is_bundle(self.contents[at]) and self.offsets[at] not in self.packed


def in_offset_order(rows: RawRows) -> RawRows:
    """Sort the rows if they are not in order; Spark promises no order within a key."""
    offsets = list(rows.offsets)
    if offsets == sorted(offsets):
        return rows
    return RawRows(*map(list, zip(*sorted(zip(*rows, strict=True)), strict=True)))


def unopened(rows: RawRows) -> Entries:
    """Give the records as datagrams, as if there were no bundle among them.

    To look through all of them for one takes a tenth of the time that a batch needs. So whoever
    takes them stops at the first (`is_unopened`), and takes the rest of the records opened.
    """
    none = bytes(len(rows.values))  # as many zeros
    return Entries(rows.values, rows.offsets, none, rows.captured_at, frozenset(), {})


def open_bundles(rows: RawRows) -> Entries:
    """Give all datagrams of the records."""
    packed = set[int]()
    contents, offsets, numbers, captured = list[bytes](), list[int](), list[int](), list[int]()
    damage: dict[int, WireError] = {}
    for offset, captured_at, value in zip(*rows, strict=True):
        if is_bundle(value):
            packed.add(offset)
            try:
                entries = cut(value)
            except WireError as error:
                damage[offset] = error
            else:
                times, pieces = zip(*entries, strict=True)
                contents += pieces
                offsets += repeat(offset, len(pieces))
                numbers += range(len(pieces))
                captured += times
                continue
        contents.append(value)
        offsets.append(offset)
        numbers.append(0)
        captured.append(captured_at)
    return Entries(contents, offsets, numbers, captured, frozenset(packed), damage)
