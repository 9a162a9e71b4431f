"""Kafka's record batches, as a fetch brings them, and the records in them as columns.

For whoever reads a raw topic by the hundred thousand: a client library makes an object of every
record, which costs more than to order it. Here one loop finds where the records of a batch begin,
numpy reads the numbers of all of them at once, and only values become objects.

A batch of Kafka's message format 2 (every broker since 0.11 gives it to who asks in that version),
big-endian, its records perhaps compressed as one piece::

     0 q base offset    8 i length of what follows   12 i leader's epoch   16 b format (2)
    17 I checksum      21 h attributes (0-2 codec, 3 broker's time, 5 control)
    23 i last offset, from the base    27 q first time, ms   35 q last time, ms
    43 q, h, i producer                57 i number of records               61 records

    record = length, attributes (one byte), time from the first, offset from the base,
             length of the key, key, length of the value, value, headers

Lengths and differences are variable-length numbers, seven bits in a byte, the lowest first; the
lowest bit of all is the sign. The checksum (CRC-32C) is of all that follows it.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable
from struct import Struct
from struct import error as struct_error
from typing import TYPE_CHECKING, Final, NamedTuple

from sinks.arrow_bytes import slices
from sinks.cloud_events import FACTS
from sinks.errors import RecordError

if TYPE_CHECKING:
    import pyarrow as pa

    from sinks.arrow_bytes import Bytes, Numbers

HEAD: Final = Struct(">qiibIhiqqqhii")
BEFORE_CHECKSUM_ENDS: Final = 21
BEFORE_LENGTH_ENDS: Final = 12
_FORMAT_AT: Final = 16
_LONGEST_NUMBER_BITS: Final = 63
"""A variable-length number has at most ten bytes, the last of which shifts by so many."""
FORMAT: Final = 2
_FACTS: Final = FACTS.encode()
LZ4: Final = 3
_CODEC: Final = 0x07
_BROKERS_TIME: Final = 0x08
_CONTROL: Final = 0x20
US_PER_MS: Final = 1_000


class RawPiece(NamedTuple):
    """Some records in offset order, as columns; times in microseconds."""

    offsets: list[int]
    captured_at: list[int]
    values: list[bytes]


class WholePiece(NamedTuple):
    """What a record of our topics has, as Arrow's arrays: one for each batch, in offset order."""

    keys: list[pa.Array]
    values: list[pa.Array]
    facts: list[pa.Array]
    """the header of that name (`sinks.cloud_events`), NULL where there is none"""


def read_batches(fetched: bytes, piece: RawPiece | WholePiece, *, start: int, end: int) -> int:
    """Add the records from offset `start` to before `end`; gives the offset behind what was seen.

    The last batch of a fetch may be cut off: it is left for the next one. Markers of transactions
    have offsets and are no records. A record without a value has an empty one. Raises
    `RecordError` if the bytes are no such batches.
    """
    at = 0
    behind = start
    while behind < end and len(fetched) - at > _FORMAT_AT:
        written_in = fetched[at + _FORMAT_AT]
        if written_in != FORMAT:
            raise RecordError(
                f"behind offset {behind} is something in Kafka's message format {written_in}, not "
                f"{FORMAT}: was it written for a broker older than 0.11?"
            )
        if len(fetched) - at < HEAD.size:
            break
        head = HEAD.unpack_from(fetched, at)
        base, length, _, _, expected, attributes, last, first_ms, last_ms, *_, count = head
        if length < HEAD.size - BEFORE_LENGTH_ENDS:
            raise RecordError(f"the batch at offset {base} is damaged: it has {length} bytes")
        begin, at = at + HEAD.size, at + BEFORE_LENGTH_ENDS + length
        if at > len(fetched):
            break
        if checksum(memoryview(fetched)[begin - HEAD.size + BEFORE_CHECKSUM_ENDS : at]) != expected:
            raise RecordError(
                f"the batch at offset {base} is not what was written: its checksum is another one"
            )
        behind = max(behind, base + last + 1)
        if attributes & _CONTROL or not count or behind <= start:
            continue
        try:
            body = _CODECS[attributes & _CODEC](fetched[begin:at])
            _add(
                body,
                piece,
                count=count,
                base=base,
                first_ms=None if attributes & _BROKERS_TIME else first_ms,
                last_ms=last_ms,
                bounds=(start, end),
            )
        except (
            LookupError, ValueError, ArithmeticError, RuntimeError, OSError, MemoryError,
            struct_error, zlib.error,
        ) as error:  # fmt: skip
            raise RecordError(f"the batch at offset {base} is damaged: {error!r}") from error
    return behind


def checksum(checked: bytes | memoryview) -> int:
    """CRC-32C, as Kafka has it."""
    import google_crc32c

    return int(google_crc32c.value(bytes(checked)))


def _add(
    body: bytes,
    piece: RawPiece | WholePiece,
    *,
    count: int,
    base: int,
    first_ms: int | None,
    last_ms: int,
    bounds: tuple[int, int],
) -> None:
    """Add the records of one batch that lie within the bounds.

    `first_ms` is None where the broker's time, the batch's last one, is that of all records.
    """
    import numpy as np

    data = np.frombuffer(body, np.uint8)
    starts = np.array(_starts(body, count))
    at = starts + 1
    times, at = _numbers(data, at)
    offsets, at = _numbers(data, at)
    offsets += base
    lengths, key_at = _numbers(data, at)
    key_ends = key_at + np.maximum(lengths, 0)
    lengths, at = _numbers(data, key_ends)
    ends = at + np.maximum(lengths, 0)
    if (ends >= np.append(starts[1:], len(body) + 1)).any():
        raise IndexError("a value ends behind its record")
    first, behind = np.searchsorted(offsets, bounds).tolist()
    wanted = slice(first, behind)
    if isinstance(piece, WholePiece):
        piece.keys.append(slices(data, key_at[wanted], (key_ends - key_at)[wanted]))
        piece.values.append(slices(data, at[wanted], (ends - at)[wanted]))
        piece.facts.append(_facts_of(body, data, ends[wanted]))
        return
    piece.offsets.extend(offsets[wanted].tolist())
    if first_ms is None:
        piece.captured_at.extend([last_ms * US_PER_MS] * (behind - first))
    else:
        piece.captured_at.extend(((first_ms + times[wanted]) * US_PER_MS).tolist())
    places = zip(at[wanted].tolist(), ends[wanted].tolist(), strict=True)
    piece.values.extend([body[begin:end] for begin, end in places])


def _facts_of(body: bytes, data: Bytes, behind_values: Numbers) -> pa.Array:
    """The facts of each record, whose headers begin behind its value."""
    import pyarrow as pa

    if not data[behind_values].any():  # nearly always: there are no headers
        return pa.nulls(len(behind_values), pa.binary())
    return pa.array([_facts(body, place) for place in behind_values.tolist()], pa.binary())


def _facts(body: bytes, at: int) -> bytes | None:
    """The header that has the facts of a cloud event, if the record's headers here have it."""
    count, at = _number(body, at)
    for _ in range(count):
        length, at = _number(body, at)
        if length < 0:
            raise ValueError("the name of a header has no length")
        name = body[at : at + length]
        length, at = _number(body, at + length)
        if name == _FACTS:
            return body[at : at + max(0, length)]
        at += max(0, length)
    return None


def _number(body: bytes, at: int) -> tuple[int, int]:
    """One variable-length number, and the place behind it."""
    found = shift = 0
    while True:
        byte = body[at]
        at += 1
        found |= (byte & 127) << shift
        if byte < 128:
            return (found >> 1) ^ -(found & 1), at
        shift += 7
        if shift > _LONGEST_NUMBER_BITS:
            raise ValueError("a length is no number")


def _starts(body: bytes, count: int) -> list[int]:
    """Where each record begins, behind its length; they lie one behind the other."""
    starts: list[int] = []
    add = starts.append
    at = 0
    for _ in range(count):
        length = body[at]
        at += 1
        if length > 127:
            byte = body[at]
            at += 1
            length = length & 127 | (byte & 127) << 7
            shift = 14
            while byte > 127:
                byte = body[at]
                at += 1
                length |= (byte & 127) << shift
                shift += 7
                if shift > _LONGEST_NUMBER_BITS:
                    raise ValueError("a length is no number")
        add(at)
        at += length >> 1  # the sign is never set
    if at != len(body):
        raise ValueError(f"{count} records take {at} bytes of {len(body)}")
    return starts


def _numbers(data: Bytes, at: Numbers) -> tuple[Numbers, Numbers]:
    """The variable-length numbers at these places, and the places behind them."""
    import numpy as np

    byte = data[at]
    found = (byte & 127).astype(np.int64)
    behind = at + 1
    more = np.flatnonzero(byte > 127)
    shift = 7
    while len(more):
        byte = data[behind[more]]
        found[more] |= (byte & 127).astype(np.int64) << shift
        behind[more] += 1
        more = more[byte > 127]
        shift += 7
    return (found >> 1) ^ -(found & 1), behind


def _plain(body: bytes) -> bytes:
    return body


def _gzip(body: bytes) -> bytes:
    return zlib.decompress(body, wbits=zlib.MAX_WBITS | 16)


def _lz4(body: bytes) -> bytes:
    from lz4 import frame

    return bytes(frame.decompress(body))


def _zstandard(body: bytes) -> bytes:
    import zstandard

    try:
        return zstandard.ZstdDecompressor().decompressobj().decompress(body)
    except zstandard.ZstdError as error:
        raise ValueError(str(error)) from error


# Java writes a head and pieces of its own around what others write as one.
_FRAMED_SNAPPY: Final = b"\x82SNAPPY\x00"
_FRAMED_SNAPPY_HEAD_BYTES: Final = 16
_PIECE: Final = Struct(">i")


def _snappy(body: bytes) -> bytes:
    if not body.startswith(_FRAMED_SNAPPY):
        return _snappy_piece(body)
    pieces = []
    at = _FRAMED_SNAPPY_HEAD_BYTES
    while at < len(body):
        (length,) = _PIECE.unpack_from(body, at)
        at += _PIECE.size
        pieces.append(_snappy_piece(body[at : at + length]))
        at += length
    return b"".join(pieces)


def _snappy_piece(piece: bytes) -> bytes:
    """Such a piece begins with how long it is unpacked, in the same seven bits to a byte."""
    import pyarrow as pa

    size = shift = at = 0
    while True:
        byte = piece[at]
        size |= (byte & 127) << shift
        at += 1
        shift += 7
        if byte < 128:
            break
    return bytes(pa.decompress(piece, decompressed_size=size, codec="snappy", asbytes=True))


_CODECS: Final[dict[int, Callable[[bytes], bytes]]] = {
    0: _plain,
    1: _gzip,
    2: _snappy,
    LZ4: _lz4,
    4: _zstandard,
}
