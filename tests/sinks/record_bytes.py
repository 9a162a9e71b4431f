"""Record batches by another hand: Kafka's own Python client builds them, and reads ours.

`resealed` changes what it built, and makes length and checksum right again: other codecs, the
markers of transactions, and damage that a checksum does not show.
"""

from __future__ import annotations

import gzip
import struct
from collections.abc import Callable, Iterable, Sequence
from typing import Final, NamedTuple

import google_crc32c
import lz4.frame
import pyarrow as pa
import zstandard
from kafka.record.default_records import DefaultRecordBatch
from kafka.record.memory_records import MemoryRecords, MemoryRecordsBuilder

from sinks.record_batches import RawPiece

HEAD: Final[struct.Struct] = DefaultRecordBatch.HEADER_STRUCT
CHECKSUM_AT: Final[int] = DefaultRecordBatch.CRC_OFFSET
_CHECKED_FROM: Final[int] = DefaultRecordBatch.ATTRIBUTES_OFFSET
_BEFORE_LENGTH_ENDS: Final[int] = DefaultRecordBatch.AFTER_LEN_OFFSET
BROKERS_TIME: Final[int] = DefaultRecordBatch.TIMESTAMP_TYPE_MASK
CONTROL: Final[int] = DefaultRecordBatch.CONTROL_MASK

Headers = Sequence[tuple[str, bytes | None]]


class Stored(NamedTuple):
    """A record as the log has it."""

    offset: int
    value: bytes | None
    key: bytes | None = b"key"
    at_ms: int = 1_000
    headers: Headers = ()


def built(records: Iterable[Stored], *, base: int = 0) -> bytes:
    """One batch, not compressed."""
    builder = MemoryRecordsBuilder(magic=2, compression_type=0, batch_size=1 << 30)
    for record in records:
        builder.skip(record.offset - base - builder.next_offset())
        builder.append(record.at_ms, record.key, record.value, list(record.headers))
    builder.close()
    return placed(bytes(builder.buffer()), base)


def placed(batch: bytes, base: int) -> bytes:
    """The batch at an offset, as the broker does with what it is sent."""
    return struct.pack(">q", base) + batch[8:]


def read_by_client(fetched: bytes) -> list[Stored]:
    """What the client reads from these bytes."""
    found = []
    for batch in MemoryRecords(fetched):
        assert batch.validate_crc()
        found += [
            Stored(one.offset, one.value, one.key, one.timestamp, tuple(one.headers))
            for one in batch
        ]
    return found


def resealed(
    batch: bytes,
    *,
    attributes: int = 0,
    count: int | None = None,
    body: Callable[[bytes], bytes] = bytes,
) -> bytes:
    """The batch with these bits set, another number of records, and its body changed."""
    *head, records = HEAD.unpack_from(batch)
    changed = body(batch[HEAD.size :])
    head[1] = HEAD.size - _BEFORE_LENGTH_ENDS + len(changed)
    head[5] |= attributes
    whole = HEAD.pack(*head, records if count is None else count) + changed
    checksum = struct.pack(">I", google_crc32c.value(whole[_CHECKED_FROM:]))
    return whole[:CHECKSUM_AT] + checksum + whole[_CHECKED_FROM:]


def flipped(content: bytes, at: int, bits: int) -> bytes:
    """The same with some bits of one byte turned."""
    return content[:at] + bytes((content[at] ^ bits,)) + content[at + 1 :]


def _snappy(body: bytes) -> bytes:
    return bytes(pa.compress(body, codec="snappy", asbytes=True))


def _framed_snappy(body: bytes) -> bytes:
    """As Java writes it: a head with two versions, and pieces with their lengths."""
    cuts = range(0, len(body), 20)
    pieces = [_snappy(body[at : at + 20]) for at in cuts]
    framed = (struct.pack(">i", len(piece)) + piece for piece in pieces)
    return struct.pack(">8sii", b"\x82SNAPPY\x00", 1, 1) + b"".join(framed)


def _streamed_zstandard(body: bytes) -> bytes:
    """As Java writes it: the frame does not say how long it is unpacked."""
    writer = zstandard.ZstdCompressor().compressobj()
    return bytes(writer.compress(body) + writer.flush())


CODECS: Final[dict[str, tuple[int, Callable[[bytes], bytes]]]] = {
    "none": (0, bytes),
    "gzip": (1, gzip.compress),
    "snappy": (2, _snappy),
    "framed snappy": (2, _framed_snappy),
    "lz4": (3, lz4.frame.compress),
    "zstandard": (4, zstandard.compress),
    "streamed zstandard": (4, _streamed_zstandard),
}
"""The number in the batch's attributes, and how to compress."""


def compressed(batch: bytes, codec: str) -> bytes:
    """The same batch in a codec."""
    number, compress = CODECS[codec]
    return resealed(batch, attributes=number, body=compress)


def joined(pieces: Iterable[RawPiece]) -> RawPiece:
    """All pieces as one."""
    whole = RawPiece([], [], [])
    for piece in pieces:
        whole.offsets.extend(piece.offsets)
        whole.captured_at.extend(piece.captured_at)
        whole.values.extend(piece.values)
    return whole
