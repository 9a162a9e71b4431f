"""The newest states of the shards from Spark's own files, without Spark.

The job keeps one value for each raw partition, and every batch that touches a partition writes that
value anew into the changelog of its task. So the newest of the last snapshot and the changelogs
after it that names a partition holds its whole state::

    state/0/TASK/VERSION.delta        what a batch changed
    state/0/TASK/VERSION.snapshot     everything, in the same layout
    state/0/TASK/VERSION.changelog    what a batch changed, where an earlier release began the
    state/0/TASK/VERSION.zip          checkpoint: Spark goes on with RocksDB (`sorted_tables.py`)

Layout, as Spark 4.2 writes it: blocks of LZ4 ("LZ4Block", token, two lengths and a checksum,
little-endian), in them pairs of a length (big-endian) and a row in Spark's binary form, until a
length of -1. A row's head of eight bytes has the null bits; a field of variable size is given by
its offset and its size. RocksDB's values have a byte before the row.
"""

from __future__ import annotations

import struct
import zipfile
from collections.abc import Iterable, Iterator
from pathlib import Path

import lz4.block

from console.answers.sorted_tables import newest_values
from console.errors import OperatorError
from ordering_udfs.shard_state import ShardState, decode_state

BLOCK_MAGIC = b"LZ4Block"
_BLOCK_HEAD = struct.Struct("<8sBIII")
_RAW_BLOCK = 0x10
_LENGTH = struct.Struct(">i")
_BYTES_BEFORE_ROW = {".delta": 0, ".snapshot": 0, ".changelog": 1, ".zip": 1}
_SNAPSHOTS = (".snapshot", ".zip")
_NULL_BITS = 8
_UNREADABLE = (struct.error, lz4.block.LZ4BlockError, ValueError, IndexError)
MOST_BLOCK_BYTES = 32 << 20
"""Spark's own blocks have at most 32 MiB."""


def states_of_task(folder: Path, *, newest_version: int) -> dict[int, ShardState]:
    """Raw partition -> its newest state: the last snapshot, and the changelogs after it.

    A running job removes files that it needs no more; one that is gone is passed over.
    """
    found: dict[int, ShardState] = {}
    for path in _newest_first(folder, newest_version):
        try:
            for state in read_states(path):
                found.setdefault(state.partition, state)
        except FileNotFoundError:
            continue
        if path.suffix in _SNAPSHOTS:
            break
    return found


def _newest_first(folder: Path, newest_version: int) -> list[Path]:
    """Changelogs and snapshots; a snapshot comes after the changelog of its own version."""
    files = [
        path
        for path in folder.iterdir()
        if path.suffix in _BYTES_BEFORE_ROW
        and path.stem.isdecimal()
        and int(path.stem) <= newest_version
    ]
    files.sort(key=lambda path: (int(path.stem), path.suffix not in _SNAPSHOTS), reverse=True)
    return files


def read_states(path: Path) -> list[ShardState]:
    """The states of one file; `OperatorError` if it is not as this release of Spark writes it."""
    before = _BYTES_BEFORE_ROW[path.suffix]
    values: Iterable[bytes]
    try:
        if path.suffix == ".zip":
            values = newest_values(path.parent, int(path.stem)).values()
        else:
            values = _values(_unpacked(path.read_bytes()))
        return [_state_in(value[before:]) for value in values]
    except (*_UNREADABLE, zipfile.BadZipFile, KeyError) as error:
        raise OperatorError(
            f"{path} is not laid out as this release reads it ({error}): "
            "use the release that wrote the checkpoint"
        ) from error


def _values(rows: bytes) -> Iterator[bytes]:
    """The values of all pairs; a length of -1 in place of a value removes the key."""
    place = 0
    while True:
        key_bytes, place = _length(rows, place)
        if key_bytes < 0:
            return
        place += key_bytes
        value_bytes, place = _length(rows, place)
        if value_bytes >= 0:
            yield rows[place : place + value_bytes]
            place += value_bytes


def _unpacked(content: bytes) -> bytes:
    pieces = []
    place = 0
    while place < len(content):
        magic, token, packed, size, _ = _BLOCK_HEAD.unpack_from(content, place)
        if magic != BLOCK_MAGIC or size > MOST_BLOCK_BYTES:
            raise ValueError("no LZ4 block where one must begin")
        place += _BLOCK_HEAD.size
        block = content[place : place + packed]
        place += packed
        is_raw = token & 0xF0 == _RAW_BLOCK
        pieces.append(block if is_raw else lz4.block.decompress(block, uncompressed_size=size))
    return b"".join(pieces)


def _length(rows: bytes, place: int) -> tuple[int, int]:
    return _LENGTH.unpack_from(rows, place)[0], place + _LENGTH.size


def _state_in(value: bytes) -> ShardState:
    """The state in a value of the store: a row with a row in it, whose only field is our bytes."""
    return decode_state(_variable_field(_variable_field(value)))


def _variable_field(row: bytes) -> bytes:
    size, offset = struct.unpack_from("<II", row, _NULL_BITS)
    if offset + size > len(row):
        raise ValueError(f"a field of {size} bytes at {offset} in a row of {len(row)}")
    return row[offset : offset + size]
