"""The records of the ordered, quarantine and counters topics.

The job writes them (`ordering_udfs`), the history query, the consumer and `verify` read them.
An ordered, quarantine or waits record starts with the same fixed head, big-endian::

     0 4s  magic       PRCO = ordered, PRCQ = quarantine, PRCW = waits (`sinks.waits`),
                       PRCM = membership (`sinks.membership`)
     4 B   version     1
     5 B   reserved    0
     6 H   marks       bit 0 late, bit 1 parent missing
     8 Q   ordinal     1, 2, 3 ... of this topic and partition
    16 Q   position    1, 2, 3 ... of the group (0 where nothing is delivered)
    24 I   partition   of the raw record
    28 I   entry       of the raw record, from 0 (a packed record has several)
    32 Q   offset      of the raw record
    40 Q   captured_at of the entry in its bundle, or of the raw record (the broker's time);
                       microseconds

An ordered record goes on with the wire envelope exactly as it was captured. A quarantine record
goes on with two lengths (H reason, H detail), the reason, the detail, and the captured bytes.
The key of all is the group id (empty where the bytes name no group).

Why an ordinal beside the position: the job may write a batch again after a crash. The
ordinal counts what one raw partition gave, in the order of its log, so a reader drops every
repeat with one number per partition: keep a record if and only if its ordinal is greater than the
greatest one seen. A position would need one number for every group.
"""

from __future__ import annotations

import json
import struct
from collections.abc import Iterable, Mapping
from enum import IntFlag
from typing import NamedTuple

from sinks.errors import RecordError

VERSION = 1
ORDERED_MAGIC = b"PRCO"
QUARANTINE_MAGIC = b"PRCQ"
NUMBERED = b"PRC"
"""How every record begins that has an ordinal, in whatever topic."""
HEAD = struct.Struct(">4sBBHQQIIQQ")
LENGTHS = struct.Struct(">HH")
HEAD_BYTES = HEAD.size

# The same head in fewer pieces, for the job's loop: what never changes, then the six numbers.
PLAIN_HEAD = struct.Struct(">8sQQIIQQ")
PLAIN_START = HEAD.pack(ORDERED_MAGIC, VERSION, 0, 0, 0, 0, 0, 0, 0, 0)[:8]
"""An ordered record without marks starts with these bytes."""


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


def write_ordered(
    ordinal: int,
    position: int,
    partition: int,
    origin: tuple[int, ...],
    marks: int,
    envelope: bytes,
) -> bytes:
    """Bytes of an ordered record from its parts, for the job, which writes millions."""
    offset, entry, captured_at = origin
    return (
        HEAD.pack(
            ORDERED_MAGIC, VERSION, 0, marks, ordinal, position, partition,
            entry, offset, captured_at,
        )
        + envelope
    )  # fmt: skip


def encode_ordered(record: OrderedRecord) -> bytes:
    """Bytes of an ordered record; the same record always gives the same bytes."""
    ordinal, position, partition, origin, marks, envelope = record
    return write_ordered(ordinal, position, partition, origin, marks, envelope)


def decode_ordered(value: bytes) -> OrderedRecord:
    """The reverse of `encode_ordered`; raises `RecordError` for any other bytes."""
    marks, ordinal, position, partition, origin = decode_head(value, ORDERED_MAGIC)
    return OrderedRecord(ordinal, position, partition, origin, marks, value[HEAD_BYTES:])


def encode_quarantine(record: QuarantineRecord) -> bytes:
    """Bytes of a quarantine record."""
    reason = record.reason.encode()
    detail = record.detail.encode()
    head = encode_head(
        QUARANTINE_MAGIC, record.ordinal, 0, record.partition, record.origin, MarkBits.NONE
    )
    return head + LENGTHS.pack(len(reason), len(detail)) + reason + detail + record.captured


def decode_quarantine(value: bytes) -> QuarantineRecord:
    """The reverse of `encode_quarantine`; raises `RecordError` for any other bytes."""
    _, ordinal, _, partition, origin = decode_head(value, QUARANTINE_MAGIC)
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


def encode_head(
    magic: bytes, ordinal: int, position: int, partition: int, origin: Origin, marks: MarkBits
) -> bytes:
    """The head of a numbered record, for the modules that know what follows it."""
    offset, entry, captured_at = origin
    return HEAD.pack(
        magic, VERSION, 0, marks, ordinal, position, partition, entry, offset, captured_at
    )


def decode_head(value: bytes, magic: bytes) -> tuple[MarkBits, int, int, int, Origin]:
    """Marks, ordinal, position, partition and origin; raises `RecordError` for other bytes."""
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

    Every captured message is counted once in `captured` and once in one of `delivered`,
    `duplicates`, `quarantined`, `membership` and `held`; all of these but `held` only grow.
    `deadlines` are the groups that will give something up if only time passes; `waits` counts the
    records of the waits topic, `reasons` what was quarantined by why. `gaps` and `oldest_held_at`
    (microseconds, 0 for none) are as of each group's last tick.
    """

    partition: int
    through_offset: int = -1
    captured: int = 0
    delivered: int = 0
    held: int = 0
    duplicates: int = 0
    quarantined: int = 0
    groups: int = 0
    deadlines: int = 0
    waits: int = 0
    membership: int = 0
    gaps: int = 0
    oldest_held_at: int = 0
    state_bytes: int = 0
    reasons: Mapping[str, int] = {}


def total_counters(each: Iterable[Counters]) -> Counters:
    """What several partitions came to together; of no partition and up to no offset."""
    total = Counters(-1)._asdict()
    reasons: dict[str, int] = {}
    oldest: list[int] = []
    for one in each:
        for name in Counters._fields[2:]:
            if name not in ("oldest_held_at", "reasons"):
                total[name] += getattr(one, name)
        oldest += [one.oldest_held_at] if one.oldest_held_at else []
        for reason, count in one.reasons.items():
            reasons[reason] = reasons.get(reason, 0) + count
    return Counters(**total | {"oldest_held_at": min(oldest, default=0), "reasons": reasons})


def encode_counters(counters: Counters) -> bytes:
    """A small JSON object, so that any tool can read the topic."""
    return json.dumps(counters._asdict(), separators=(",", ":")).encode()


def decode_counters(value: bytes) -> Counters:
    """The reverse of `encode_counters`; raises `RecordError` for any other bytes.

    What an earlier release did not count yet is 0.
    """
    try:
        fields = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"a counters record is a JSON object: {error}") from error
    known = set(Counters._fields)
    if not isinstance(fields, Mapping) or not {"partition", "captured"} <= set(fields) <= known:
        raise RecordError(f"a counters record has the fields {', '.join(Counters._fields)}")
    reasons = fields.get("reasons", {})
    if not isinstance(reasons, Mapping):
        raise RecordError("the reasons of a counters record are a JSON object")
    numbers = [*reasons.values(), *(fields[name] for name in fields if name != "reasons")]
    if not all(type(number) is int for number in numbers):
        raise RecordError("every field of a counters record is a whole number")
    return Counters(**fields)
