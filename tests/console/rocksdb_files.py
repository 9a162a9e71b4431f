"""A writer of sorted tables and snapshots for tests: plain blocks, one entry each."""

from __future__ import annotations

import json
import struct
import zipfile
from collections.abc import Sequence
from pathlib import Path

from console.answers.sorted_tables import MAGIC


def varint(number: int) -> bytes:
    out = bytearray()
    while number >= 0x80:
        out.append(number & 0x7F | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def block(entries: bytes) -> bytes:
    """Entries, the place of the first, how many places there are."""
    return entries + struct.pack("<II", 0, 1)


def sorted_table(writes: Sequence[tuple[bytes, int, bytes | None]]) -> bytes:
    """A table with a block for each write: key, number, value or None for a removal."""
    content, index = b"", b""
    for key, number, maybe_value in writes:
        inner = key + struct.pack("<Q", number << 8 | (0 if maybe_value is None else 1))
        value = maybe_value or b""
        data = block(varint(0) + varint(len(inner)) + varint(len(value)) + inner + value)
        index += varint(0) + varint(len(key)) + key + varint(len(content)) + varint(len(data))
        content += data + b"\0" * 5
    place, whole = len(content), block(index)
    handles = varint(0) + varint(0) + varint(place) + varint(len(whole))
    footer = b"\1" + handles.ljust(40, b"\0") + struct.pack("<IQ", 5, MAGIC)
    return content + whole + b"\0" * 5 + footer


def write_snapshot(folder: Path, version: int, tables: list[bytes]) -> None:
    """A snapshot as Spark keeps it: a list of its tables, and the tables beside it."""
    (folder / "SSTs").mkdir(exist_ok=True)
    files = []
    for number, table in enumerate(tables):
        name = f"{version:06}-{number}.sst"
        (folder / "SSTs" / name).write_bytes(table)
        files.append({"dfsSstFileName": name})
    with zipfile.ZipFile(folder / f"{version}.zip", "w") as packed:
        packed.writestr("metadata", "v1\n" + json.dumps({"sstFiles": files}))
