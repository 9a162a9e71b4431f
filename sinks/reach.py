"""How far a batch of the numbered topics goes: which ordinals it has of each raw partition.

Partition and ordinal stand in fixed places of every numbered record (`sinks.records`), so a glance
at the heads is enough, and nothing else is decoded for this::

    topic      partition   ordinals              reach
    ordered    0           5 6 7                 5 to 7
    ordered    1           8 9 8 9 10            8 to 10, has repeats
    waits      0           junk                  nothing, but there is something in the topic
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from sinks.arrow_bytes import parts, structures
from sinks.records import HEAD_BYTES, NUMBERED, VERSION

if TYPE_CHECKING:
    import pyarrow as pa

PIECE_SCHEMA: Final = (
    "topic STRING, raw_partition INT, lowest BIGINT, highest BIGINT, is_ascending BOOLEAN"
)
"""One row of `pieces`; all but the topic is NULL where it has records that are none of ours."""

_HEAD: Final = [
    ("kind", ">u4"), ("version", ">u1"), ("reserved", ">u1"), ("marks", ">u2"),
    ("ordinal", ">i8"), ("position", ">i8"), ("partition", ">i4"),
]  # fmt: skip
_NUMBERED: Final = int.from_bytes(NUMBERED)


class Reach(NamedTuple):
    """Which ordinals a batch has of one raw partition."""

    lowest: int
    highest: int
    has_repeats: bool


class Piece(NamedTuple):
    """The same for records that follow one another in one task; a row of `PIECE_SCHEMA`."""

    topic: str
    raw_partition: int | None
    lowest: int | None
    highest: int | None
    is_ascending: bool | None


def pieces(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """The function for `mapInArrow`: topics and the heads of their records in, pieces out."""
    import pyarrow as pa

    kinds = (pa.string(), pa.int32(), pa.int64(), pa.int64(), pa.bool_())
    schema = pa.schema(list(zip(Piece._fields, kinds, strict=True)))
    for batch in batches:
        found = [piece._asdict() for piece in _pieces_of(*batch.columns)]
        if found:
            yield pa.RecordBatch.from_pylist(found, schema=schema)


def _pieces_of(topics: pa.Array, heads: pa.Array) -> Iterator[Piece]:
    import numpy as np

    encoded = topics.dictionary_encode()
    codes = encoded.indices.to_numpy()
    data, starts, lengths = parts(heads)
    at = np.flatnonzero(lengths >= HEAD_BYTES)
    head = structures(data, starts[at], _HEAD)
    is_ours = (head["kind"] >> 8 == _NUMBERED) & (head["version"] == VERSION)
    is_ours &= (head["ordinal"] > 0) & (head["partition"] >= 0)
    at, head = at[is_ours], head[is_ours]
    for code, topic in enumerate(encoded.dictionary.to_pylist()):
        mine = head[codes[at] == code]
        if len(mine) < np.count_nonzero(codes == code):
            yield Piece(topic, None, None, None, None)
        for partition in np.unique(mine["partition"]).tolist():
            ordinals = mine["ordinal"][mine["partition"] == partition].astype(np.int64)
            is_ascending = bool((np.diff(ordinals) > 0).all())
            yield Piece(topic, partition, int(ordinals.min()), int(ordinals.max()), is_ascending)


def reaches(found: Iterable[Any]) -> dict[str, dict[int, Reach]]:
    """Put the pieces of a batch together: for each topic that has records, its raw partitions.

    Pieces that overlap have repeats; so has one in which the ordinals go back.
    """
    by_topic: dict[str, dict[int, Reach]] = {}
    for row in sorted(map(Piece._make, found), key=_by_ordinals):
        topic, partition, lowest, highest, is_ascending = row
        reached = by_topic.setdefault(topic, {})
        if partition is None or lowest is None or highest is None:
            continue
        maybe_before = reached.get(partition)
        if maybe_before is None:
            reached[partition] = Reach(lowest, highest, not is_ascending)
        else:
            has_repeats = (
                maybe_before.has_repeats or not is_ascending or lowest <= maybe_before.highest
            )
            highest = max(highest, maybe_before.highest)
            reached[partition] = Reach(maybe_before.lowest, highest, has_repeats)
    return by_topic


def _by_ordinals(piece: Piece) -> tuple[str, int, int]:
    return piece.topic, piece.raw_partition or 0, piece.lowest or 0
