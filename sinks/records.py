"""The records of the ordered, quarantine and counters topics.

The job writes them (`ordering_udfs`), the history query, the consumer and `verify` read them.
An ordered or quarantine record starts with the same fixed head, big-endian::

     0 4s  magic       PRCO = ordered, PRCQ = quarantine
     4 B   version     1
     5 B   reserved    0
     6 H   marks       bit 0 late, bit 1 parent missing
     8 Q   ordinal     1, 2, 3 ... of this topic and partition
    16 Q   position    1, 2, 3 ... of the group (0 in a quarantine record)
    24 I   partition   of the raw record
    28 I   entry       of the raw record, from 0 (a packed record has several)
    32 Q   offset      of the raw record
    40 Q   captured_at when the broker took the raw record, microseconds

An ordered record goes on with the wire envelope exactly as it was captured. A quarantine record
goes on with two lengths (H reason, H detail), the reason, the detail, and the captured bytes.
The key of both is the group id (empty where the bytes name no group).

Why an ordinal beside the position: Spark's topic sink may write a batch again after a crash. The
ordinal counts what one raw partition gave, in the order of its log, so a reader drops every
repeat with one number per partition: keep a record if and only if its ordinal is greater than the
greatest one seen. A position would need one number for every group.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Mapping
from enum import IntFlag
from typing import NamedTuple

from sinks.errors import RecordError

VERSION = 1
ORDERED_MAGIC = b"PRCO"
QUARANTINE_MAGIC = b"PRCQ"
HEAD = struct.Struct(">4sBBHQQIIQQ")
LENGTHS = struct.Struct(">HH")
HEAD_BYTES = HEAD.size


class MarkBits(IntFlag):
    """The marks of a delivery, as they stand in the head."""

    NONE = 0
    LATE = 1
    PARENT_MISSING = 2


class Origin(NamedTuple):
    """Where a message was captured; the engine carries it along as plain numbers."""

    offset: int
    entry: int
    captured_at: int


class OrderedRecord(NamedTuple):
    """One delivery."""

    ordinal: int
    position: int
    partition: int
    origin: Origin
    marks: MarkBits
    envelope: bytes


class QuarantineRecord(NamedTuple):
    """One message, or bytes that are no message, that will not be delivered, and why."""

    ordinal: int
    partition: int
    origin: Origin
    reason: str
    detail: str
    captured: bytes


def encode_ordered(record: OrderedRecord) -> bytes:
    """Bytes of an ordered record; the same record always gives the same bytes."""
    offset, entry, captured_at = record.origin
    head = HEAD.pack(
        ORDERED_MAGIC, VERSION, 0, record.marks, record.ordinal, record.position,
        record.partition, entry, offset, captured_at,
    )  # fmt: skip
    return head + record.envelope


def decode_ordered(value: bytes) -> OrderedRecord:
    """The reverse of `encode_ordered`; raises `RecordError` for any other bytes."""
    marks, ordinal, position, partition, origin = _decode_head(value, ORDERED_MAGIC)
    return OrderedRecord(ordinal, position, partition, origin, marks, value[HEAD_BYTES:])


def encode_quarantine(record: QuarantineRecord) -> bytes:
    """Bytes of a quarantine record."""
    offset, entry, captured_at = record.origin
    reason = record.reason.encode()
    detail = record.detail.encode()
    head = HEAD.pack(
        QUARANTINE_MAGIC, VERSION, 0, 0, record.ordinal, 0,
        record.partition, entry, offset, captured_at,
    )  # fmt: skip
    return head + LENGTHS.pack(len(reason), len(detail)) + reason + detail + record.captured


def decode_quarantine(value: bytes) -> QuarantineRecord:
    """The reverse of `encode_quarantine`; raises `RecordError` for any other bytes."""
    _, ordinal, _, partition, origin = _decode_head(value, QUARANTINE_MAGIC)
    lengths_end = HEAD_BYTES + LENGTHS.size
    if len(value) < lengths_end:
        raise RecordError(f"a quarantine record has at least {lengths_end} bytes, not {len(value)}")
    reason_length, detail_length = LENGTHS.unpack_from(value, HEAD_BYTES)
    reason_end = lengths_end + reason_length
    detail_end = reason_end + detail_length
    if len(value) < detail_end:
        raise RecordError(f"its lengths ask for {detail_end} bytes, the record has {len(value)}")
    try:
        reason = value[lengths_end:reason_end].decode()
        detail = value[reason_end:detail_end].decode()
    except UnicodeDecodeError as error:
        raise RecordError(f"its reason is not UTF-8: {error}") from error
    return QuarantineRecord(ordinal, partition, origin, reason, detail, value[detail_end:])


def _decode_head(value: bytes, magic: bytes) -> tuple[MarkBits, int, int, int, Origin]:
    if len(value) < HEAD_BYTES:
        raise RecordError(f"a record has at least {HEAD_BYTES} bytes, not {len(value)}")
    (found, version, _, marks, ordinal, position, partition, entry, offset, captured_at) = (
        HEAD.unpack_from(value)
    )
    if found != magic:
        raise RecordError(f"the record starts with {found!r}, not {magic!r}: is it another topic?")
    if version != VERSION:
        raise RecordError(
            f"the record has version {version}, this program reads version {VERSION}: "
            "use the release that wrote the topic, or a newer one"
        )
    return MarkBits(marks), ordinal, position, partition, Origin(offset, entry, captured_at)


class Counters(NamedTuple):
    """What one raw partition came to, up to and including `through_offset`.

    All but `held` and `groups` only grow. Every captured message is counted once in `captured`
    and once in one of `delivered`, `duplicates`, `quarantined` and `held`.
    """

    partition: int
    through_offset: int = -1
    captured: int = 0
    delivered: int = 0
    held: int = 0
    duplicates: int = 0
    quarantined: int = 0
    groups: int = 0


def encode_counters(counters: Counters) -> bytes:
    """A small JSON object, so that any tool can read the topic."""
    return json.dumps(counters._asdict(), separators=(",", ":")).encode()


def decode_counters(value: bytes) -> Counters:
    """The reverse of `encode_counters`; raises `RecordError` for any other bytes."""
    try:
        fields = json.loads(value)
    except ValueError as error:
        raise RecordError(f"a counters record is a JSON object: {error}") from error
    if not isinstance(fields, Mapping) or set(fields) != set(Counters._fields):
        raise RecordError(f"a counters record has exactly the fields {', '.join(Counters._fields)}")
    if not all(type(number) is int for number in fields.values()):
        raise RecordError("every field of a counters record is a whole number")
    return Counters(**fields)
