"""Write Kafka's record batches (`record_batches.py` has their layout), many records at once.

The client library takes records one by one, copies each, and makes an object of every header; for
an ordered topic that costs as much as all the rest of its way. Here a batch is one list of pieces,
put together once, compressed and summed up in C.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import repeat
from struct import Struct
from typing import Final, NamedTuple

from sinks.record_batches import BEFORE_LENGTH_ENDS, FORMAT, HEAD, LZ4, checksum
from sinks.varints import VARINTS

BATCH_BYTES: Final = 900_000
"""A batch is closed when it has so many before compression: what every topic takes by default. A
record that is larger has a batch of its own."""
_AROUND: Final = 10
"""What a record takes beside that: its length, two bytes, and its offset."""
NO_HEADERS: Final = b"\x00"
_CHECKED: Final = Struct(">hiqqqhii")
_BEFORE_CHECKED: Final = Struct(">qiibI")
_NOBODY: Final = -1
"""No producer and no epoch: whoever reads drops repeats by other numbers."""


class Records(NamedTuple):
    """Records for one partition, as columns; headers as `header_block` writes them."""

    keys: Sequence[bytes]
    values: Sequence[bytes]
    headers: Sequence[bytes] | None

    def piece(self, begin: int, end: int) -> Records:
        """Those from one place to before another."""
        maybe_headers = None if self.headers is None else self.headers[begin:end]
        return Records(self.keys[begin:end], self.values[begin:end], maybe_headers)


class Batch(NamedTuple):
    """A batch, compressed, as the broker keeps it, and the places of its records."""

    begin: int
    end: int
    content: bytes


def write_batches(records: Records, *, at_ms: int) -> Iterator[Batch]:
    """Write records as batches, one after the other, none of them empty.

    All records are of one instant.
    """
    lengths = VARINTS
    known: dict[bytes, bytes] = {}
    found: list[bytes] = []
    begin = at = total = 0
    blocks = repeat(NO_HEADERS) if records.headers is None else records.headers
    for (key, value), headers in zip(
        zip(records.keys, records.values, strict=True), blocks, strict=False
    ):
        maybe_key = known.get(key)
        if maybe_key is None:
            maybe_key = known[key] = lengths[len(key)] + key
        before = lengths[len(value)]
        size = len(maybe_key) + len(before) + len(value) + len(headers)
        total += size + _AROUND
        if total > BATCH_BYTES and found:
            yield Batch(begin, begin + at, _closed(found, at, at_ms))
            found = []
            begin, at, total = begin + at, 0, size + _AROUND
        offset = lengths[at]
        # behind the length no attributes, and no time beside the batch's
        found += (
            lengths[size + len(offset) + 2], b"\x00\x00", offset, maybe_key, before, value, headers,
        )  # fmt: skip
        at += 1
    if found:
        yield Batch(begin, begin + at, _closed(found, at, at_ms))


def _closed(pieces: list[bytes], count: int, at_ms: int) -> bytes:
    from lz4 import frame

    # Java reads only frames whose blocks stand each for itself.
    body: bytes = frame.compress(
        b"".join(pieces),
        block_linked=False,
        block_size=frame.BLOCKSIZE_MAX256KB,
        store_size=False,
    )
    last = count - 1
    checked = _CHECKED.pack(LZ4, last, at_ms, at_ms, _NOBODY, _NOBODY, _NOBODY, count) + body
    length = HEAD.size - BEFORE_LENGTH_ENDS + len(body)
    return _BEFORE_CHECKED.pack(0, length, _NOBODY, FORMAT, checksum(checked)) + checked


def header_block(headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """The headers of one record, as the record ends with them."""
    written = [
        part
        for name, value in headers
        for part in (VARINTS[len(name)], name, VARINTS[len(value)], value)
    ]
    return b"".join((VARINTS[len(written) // 4], *written))
