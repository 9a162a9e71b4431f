"""One record of the spool as bytes, and the scan that finds records again in whatever is left.

     0  2s marker   2 B kind   3 B key length   4 I body length   8 Q sequence   16 Q captured_at
    24  I checksum of the body                 28 I checksum of the 28 bytes before
    32  key | data

Both checksums start from the *salt* of the segment, a random number in its file name. So a record
of another file, or one that a sender has hidden in his payload, is none here, and a scan that has
lost its way may look for the next record without being led astray::

    scan:   [record 7][record 8 with a flipped bit][record 9][half of record 10]
    gives    7                                      9         and "torn after 9"

A damaged body costs its own record. A damaged head costs its record too: the scan goes on at the
next bytes whose head checks. What is missing shows as a jump in the sequence numbers.
"""

from collections.abc import Iterable, Sequence
from enum import IntEnum
from struct import Struct
from typing import Final, NamedTuple
from zlib import crc32

MARKER: Final = b"\xf5\x5f"
"""Starts no text in UTF-8, so that payloads seldom look like a record."""

KEY_BYTES: Final = 255
"""A key is a group id, which is as long at most (`ingest.wire.bounds.GROUP_BYTES`)."""

DATA_BYTES: Final = 2 * 1024 * 1024
"""Above the longest envelope; bounds what a reader must hold to see one record."""

SALT_LAST: Final = 2**32 - 1

_HEAD: Final = Struct(">2sBBIQQI")
_CHECKSUM: Final = Struct(">I")
HEAD_BYTES: Final = _HEAD.size + _CHECKSUM.size
RECORD_BYTES: Final = HEAD_BYTES + KEY_BYTES + DATA_BYTES


class EntryKind(IntEnum):
    """What an entry is. Never reuse a number: it stands in files."""

    MESSAGE = 1
    GAP_NOTICE = 2


_KINDS: Final = {int(kind): kind for kind in EntryKind}


class Entry(NamedTuple):
    """One captured datagram (or notice) on its way to Kafka. `key` is its Kafka key, the group."""

    sequence: int
    captured_at: int
    key: bytes
    data: bytes
    kind: EntryKind = EntryKind.MESSAGE

    @property
    def size(self) -> int:
        """How many bytes its record takes."""
        return HEAD_BYTES + len(self.key) + len(self.data)


class Scanned(NamedTuple):
    """What a scan found."""

    entries: list[Entry]
    through: int
    """How many bytes hold nothing more for a later scan."""
    whole_through: int
    """Where the last whole record ends."""
    damaged_bytes: int


def encode_record(entry: Entry, salt: int) -> bytes:
    """Write one record."""
    return encode_records([entry], salt)


def encode_records(entries: Iterable[Entry], salt: int) -> bytes:
    """Write records, one after the other. Called by the spool's writer for every message."""
    pack_head, pack_checksum, checksum = _HEAD.pack, _CHECKSUM.pack, crc32
    parts: list[bytes] = []
    for sequence, captured_at, key, data, kind in entries:
        body = key + data
        head = pack_head(
            MARKER, kind, len(key), len(body), sequence, captured_at, checksum(body, salt)
        )
        parts += (head, pack_checksum(checksum(head, salt)), body)
    return b"".join(parts)


def size_of(entries: Sequence[Entry]) -> int:
    """How many bytes the records of these take."""
    bodies = sum([len(entry[2]) + len(entry[3]) for entry in entries])
    return HEAD_BYTES * len(entries) + bodies


def scan(data: bytes, salt: int) -> Scanned:
    """Find every whole record in these bytes, in order. Never raises, whatever the bytes.

    The bytes may end in the middle of a record: `through` then stands at its start, so that a
    caller who reads a file in pieces goes on there, and one who has the whole file knows that
    what follows is torn.
    """
    entries: list[Entry] = []
    damaged = 0
    start = whole_through = 0
    size = len(data)
    while start + HEAD_BYTES <= size:
        maybe_head = _head_at(data, start, salt)
        if maybe_head is None:
            found = _next_head(data, start + 1, salt)
            damaged += found - start
            start = found
            continue
        kind, key_length, body_length, sequence, captured_at, body_checksum = maybe_head
        body_at = start + HEAD_BYTES
        end = body_at + body_length
        if end > size:
            break
        body = data[body_at:end]
        if crc32(body, salt) == body_checksum:
            key, value = body[:key_length], body[key_length:]
            entries.append(Entry(sequence, captured_at, key, value, kind))
            whole_through = end
        else:
            damaged += end - start
        start = end
    return Scanned(entries, start, whole_through, damaged)


def _head_at(
    data: bytes, start: int, salt: int
) -> tuple[EntryKind, int, int, int, int, int] | None:
    """Give the fields of the head that stands here; None if none does."""
    marker, kind, key_length, body_length, sequence, captured_at, body_checksum = _HEAD.unpack_from(
        data, start
    )
    if marker != MARKER:
        return None
    checked_through = start + _HEAD.size
    (checksum,) = _CHECKSUM.unpack_from(data, checked_through)
    if crc32(data[start:checked_through], salt) != checksum:
        return None
    if kind not in _KINDS or not key_length <= body_length <= KEY_BYTES + DATA_BYTES:
        return None
    return _KINDS[kind], key_length, body_length, sequence, captured_at, body_checksum


def _next_head(data: bytes, start: int, salt: int) -> int:
    """Give where the next head stands that checks; else where a later scan must look again."""
    last = len(data) - HEAD_BYTES
    while True:
        start = data.find(MARKER, start)
        if start < 0 or start > last:
            return max(0, last + 1)
        if _head_at(data, start, salt) is not None:
            return start
        start += 1
