"""Keys and values of a snapshot of RocksDB, as Spark keeps it in a checkpoint, without RocksDB.

A snapshot (`VERSION.zip`) names its sorted tables, which stand beside it (`SSTs/`). A sorted table
is a list of blocks, an index of them, and at the end a footer that says where the index is. A block
is packed (a length, then LZ4) or plain, has a byte behind it that says which, and holds entries
whose keys share beginnings. A key ends in eight bytes: a number that grows with every write, and
whether it is a value or a removal. The newest write of a key counts. (Layout: RocksDB's
block-based table, format 5, which the configuration of Spark 4.2 writes.)
"""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import lz4.block

FOOTER_BYTES = 53
MAGIC = 0x88E241B785F4CFF7
_TRAILER_BYTES = 5
_PLAIN, _LZ4 = 0, 4
_REMOVALS = (0, 7, 15)
_VALUE = 1
MOST_BLOCK_BYTES = 1 << 30
_NUMBER = struct.Struct("<Q")
_COUNT = struct.Struct("<I")


class Write(NamedTuple):
    """One write of a key."""

    key: bytes
    number: int
    maybe_value: bytes | None
    """None for a removal."""


def newest_values(folder: Path, version: int) -> dict[bytes, bytes]:
    """Key -> value of the snapshot of a version; ValueError if it is laid out otherwise."""
    with zipfile.ZipFile(folder / f"{version}.zip") as packed:
        text = packed.read("metadata").decode()
    files = json.loads(text[text.index("{") :])["sstFiles"]
    newest: dict[bytes, Write] = {}
    for file in files:
        content = (folder / "SSTs" / Path(str(file["dfsSstFileName"])).name).read_bytes()
        for write in writes_of(content):
            known = newest.get(write.key)
            if known is None or write.number > known.number:
                newest[write.key] = write
    return {
        key: write.maybe_value for key, write in newest.items() if write.maybe_value is not None
    }


def writes_of(content: bytes) -> Iterator[Write]:
    """Every write in one sorted table."""
    footer = content[-FOOTER_BYTES:]
    if len(footer) < FOOTER_BYTES or _NUMBER.unpack(footer[-8:])[0] != MAGIC:
        raise ValueError("this is no sorted table of RocksDB")
    place = 1
    _, place = _handle(footer, place)
    index, _ = _handle(footer, place)
    for offset, size in _index_entries(_block(content, *index)):
        yield from _data_entries(_block(content, offset, size))


def _block(content: bytes, offset: int, size: int) -> bytes:
    packed = content[offset : offset + size]
    if offset + size + _TRAILER_BYTES > len(content):
        raise ValueError(f"a block of {size} bytes at {offset} in {len(content)} bytes")
    kind = content[offset + size]
    if kind == _PLAIN:
        return packed
    if kind != _LZ4:
        raise ValueError(f"a block that is packed in way {kind}, which this does not read")
    length, place = _varint(packed, 0)
    if length > MOST_BLOCK_BYTES:
        raise ValueError(f"a block of {length} bytes")
    return bytes(lz4.block.decompress(packed[place:], uncompressed_size=length))


def _entries_end(block: bytes) -> int:
    """Behind the entries stand the places at which keys are whole, and how many there are."""
    (count,) = _COUNT.unpack(block[-4:])
    end = len(block) - 4 * (int(count & 0x7FFFFFFF) + 1)
    if end < 0:
        raise ValueError("a block with more restarts than it has room for")
    return end


def _index_entries(block: bytes) -> Iterator[tuple[int, int]]:
    """Where the blocks are: each entry is a whole key, which we do not need, and a handle."""
    place, end = 0, _entries_end(block)
    while place < end:
        shared, place = _varint(block, place)
        unshared, place = _varint(block, place)
        if shared:
            raise ValueError("an index whose keys share beginnings, which this does not read")
        handle, place = _handle(block, place + unshared)
        yield handle


def _data_entries(block: bytes) -> Iterator[Write]:
    place, end = 0, _entries_end(block)
    key = b""
    while place < end:
        shared, place = _varint(block, place)
        unshared, place = _varint(block, place)
        length, place = _varint(block, place)
        key = key[:shared] + block[place : place + unshared]
        place += unshared
        tail = _NUMBER.unpack(key[-8:])[0]
        kind = tail & 0xFF
        if kind != _VALUE and kind not in _REMOVALS:
            raise ValueError(f"a write of kind {kind}, which this does not read")
        maybe_value = block[place : place + length] if kind == _VALUE else None
        yield Write(key[:-8], tail >> 8, maybe_value)
        place += length


def _handle(content: bytes, place: int) -> tuple[tuple[int, int], int]:
    offset, place = _varint(content, place)
    size, place = _varint(content, place)
    return (offset, size), place


def _varint(content: bytes, place: int) -> tuple[int, int]:
    number = shift = 0
    while True:
        byte = content[place]
        place += 1
        number |= (byte & 0x7F) << shift
        if byte < 0x80:
            return number, place
        shift += 7
        if shift > 63:
            raise ValueError("a number of more than ten bytes")
