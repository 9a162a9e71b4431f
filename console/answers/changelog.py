"""The newest states of the shards from Spark's own files, without Spark.

The job keeps one value for each raw partition, and every batch that touches a partition writes that
value anew into the changelog of its task (`state/0/TASK/VERSION.changelog`). So the newest of the
last snapshot (`sorted_tables.py`) and the changelogs after it that names a partition holds its
whole state. Layout of a changelog, as Spark 4.2 writes it: blocks of LZ4 ("LZ4Block", token, two
lengths and a checksum, little-endian), in them pairs of a length (big-endian) and a row in Spark's
binary form, until a length of -1. A row's head of eight bytes has the null bits; a field of
variable size is given by its offset and its size.
"""

from __future__ import annotations

import re
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path

import lz4.block

from console.answers.sorted_tables import newest_values
from console.errors import OperatorError
from ordering_udfs.shard_state import ShardState, decode_state

BLOCK_MAGIC = b"LZ4Block"
_BLOCK_HEAD = struct.Struct("<8sBIII")
_RAW_BLOCK = 0x10
_LENGTH = struct.Struct(">i")
_ROW_VERSION_BYTES = 1
_NULL_BITS = 8
_UNREADABLE = (struct.error, lz4.block.LZ4BlockError, ValueError, IndexError)
MOST_BLOCK_BYTES = 32 << 20
"""Spark's own blocks have at most 32 MiB."""
_NAME = re.compile(r"(\d+)\.(changelog|zip)")


def states_of_task(folder: Path, *, newest_version: int) -> dict[int, ShardState]:
    """Raw partition -> its newest state: the last snapshot, and the changelogs after it.

    A running job removes files that it needs no more; one that is gone is passed over.
    """
    found: dict[int, ShardState] = {}
    for version, path in _newest_first(folder, newest_version):
        try:
            if path.suffix == ".zip":
                for state in _snapshot(folder, version):
                    found.setdefault(state.partition, state)
                break
            for state in read_changelog(path.read_bytes(), name=str(path)):
                found.setdefault(state.partition, state)
        except FileNotFoundError:
            continue
    return found


def _newest_first(folder: Path, newest_version: int) -> list[tuple[int, Path]]:
    """Changelogs and snapshots; a snapshot comes after the changelog of its own version."""
    named = ((_NAME.fullmatch(path.name), path) for path in folder.iterdir())
    files = [(int(match[1]), match[2] == "changelog", path) for match, path in named if match]
    files.sort(key=lambda one: one[:2], reverse=True)
    return [(version, path) for version, _, path in files if version <= newest_version]


def _snapshot(folder: Path, version: int) -> list[ShardState]:
    try:
        values = newest_values(folder, version).values()
        return [state_in(value) for value in values]
    except (*_UNREADABLE, zipfile.BadZipFile, KeyError) as error:
        raise _laid_out_otherwise(str(folder / f"{version}.zip"), error) from error


def read_changelog(content: bytes, *, name: str) -> Iterator[ShardState]:
    """The states of one file; `OperatorError` if it is not as this release of Spark writes it."""
    try:
        rows = _unpacked(content)
        place = 0
        while True:
            key_bytes, place = _length(rows, place)
            if key_bytes < 0:
                return
            place += key_bytes
            value_bytes, place = _length(rows, place)
            if value_bytes >= 0:
                yield state_in(rows[place : place + value_bytes])
                place += value_bytes
    except _UNREADABLE as error:
        raise _laid_out_otherwise(name, error) from error


def _laid_out_otherwise(name: str, error: Exception) -> OperatorError:
    return OperatorError(
        f"{name} is not laid out as this release reads it ({error}): "
        "use the release that wrote the checkpoint"
    )


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


def state_in(value: bytes) -> ShardState:
    """The state in a value of the store: a row with a row in it, whose only field is our bytes."""
    outer = value[_ROW_VERSION_BYTES:]
    return decode_state(_variable_field(_variable_field(outer)))


def _variable_field(row: bytes) -> bytes:
    size, offset = struct.unpack_from("<II", row, _NULL_BITS)
    if offset + size > len(row):
        raise ValueError(f"a field of {size} bytes at {offset} in a row of {len(row)}")
    return row[offset : offset + size]
