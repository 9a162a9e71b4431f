"""Write Kafka's record batches (`record_batches.py` has their layout), many records at once.

The client library takes records one by one, copies each, and makes an object of every header; for
an ordered topic that costs as much as all the rest of its way. Here all records of a batch are put
together in one step, compressed and summed up in C.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from struct import Struct
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from sinks.arrow_bytes import joined, large, sizes, whole
from sinks.record_batches import BEFORE_LENGTH_ENDS, FORMAT, HEAD, LZ4, checksum
from sinks.varints import VARINTS, varints

if TYPE_CHECKING:
    import pyarrow as pa

Column: TypeAlias = "Sequence[bytes] | pa.Array | pa.ChunkedArray"
"""Some bytes of each record, as a list or as an array of Arrow's."""

BATCH_BYTES: Final = 900_000
"""A batch is closed when it has so many before compression: what every topic takes by default. A
record that is larger has a batch of its own."""
_AROUND: Final = 10
"""What a record takes beside that: its length, two bytes, and its offset."""
NO_HEADERS: Final = b"\x00"
_NEITHER: Final = b"\x00\x00"
_CHECKED: Final = Struct(">hiqqqhii")
_BEFORE_CHECKED: Final = Struct(">qiibI")
_NOBODY: Final = -1
"""No producer and no epoch: whoever reads drops repeats by other numbers."""


class Records(NamedTuple):
    """Records for one partition, as columns; headers as `header_block` writes them."""

    keys: Column
    values: Column
    headers: Column | None

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
    import numpy as np

    if not len(records.keys):
        return
    keys, values = large(records.keys), large(records.values)
    headers = NO_HEADERS if records.headers is None else large(records.headers)
    count = len(keys)
    parts = (varints(sizes(keys)), keys, varints(sizes(values)), values)
    taken = sum(map(sizes, parts), start=np.zeros(count, np.int64))
    taken += len(headers) if isinstance(headers, bytes) else sizes(headers)
    ends = np.cumsum(taken + _AROUND)
    begin = 0
    while begin < count:
        before = ends[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(ends, before + BATCH_BYTES, side="right")))
        here = slice(begin, end)
        offsets = varints(np.arange(end - begin))
        # behind the length no attributes, and no time beside the batch's
        lengths = taken[here] + sizes(offsets) + len(_NEITHER)
        written = joined(
            varints(lengths), _NEITHER, offsets, *(whole(part[here]) for part in parts),
            headers if isinstance(headers, bytes) else whole(headers[here]),
        )  # fmt: skip
        body = written.buffers()[2][: int(sizes(written).sum())]
        yield Batch(begin, end, _closed(body, end - begin, at_ms))
        begin = end


def _closed(written: pa.Buffer, count: int, at_ms: int) -> bytes:
    from lz4 import frame

    # Java reads only frames whose blocks stand each for itself.
    body: bytes = frame.compress(
        written,
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
