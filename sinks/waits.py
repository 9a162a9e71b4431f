"""The records of the waits and the gaps topic: who waits for what, and what is missing.

A message that is still held when a tick passes is told as waiting; later its end is told, with what
became of it. A reader who keeps, for each message, the newest record has what is held now, and why.
Both are functions of the log, like every other output of the job.

A waits record is the head that all numbered records have (`sinks.records`, magic PRCW), then a JSON
object with `id`, `status`, `at` (the log's time, microseconds) and, for a held message, what it
waits for: `waiting_for` (`sender:seq`), `measure` (`id`: exactly this message; else how "up to
here" is counted) and `by` (the member who must confirm, for `acknowledged` alone).

A gaps record is a JSON object of its own, for alerts: something was still missing when a tick
passed, came after all, or was given up. It has no ordinal; its key is the group.
"""

from __future__ import annotations

import json
from enum import StrEnum
from typing import Any, NamedTuple

from ordering.requirement import Requirement, UpTo
from sinks.errors import RecordError
from sinks.records import HEAD_BYTES, MarkBits, Origin, decode_head, encode_head

WAIT_MAGIC = b"PRCW"
EXACT = "id"


class WaitStatus(StrEnum):
    """What a waits record says of its message; all but the first end the wait."""

    HELD = "held"
    DELIVERED = "delivered"
    RELEASED = "released"
    QUARANTINED = "quarantined"


class GapStatus(StrEnum):
    """What a gaps record says of what is missing."""

    OPEN = "open"
    CLOSED = "closed"
    ABANDONED = "abandoned"


class Sought(NamedTuple):
    """Something that is waited for, in words of the tables."""

    waiting_for: str
    measure: str = EXACT
    by: str = ""


class WaitRecord(NamedTuple):
    """A message waits, or its wait has ended."""

    ordinal: int
    partition: int
    origin: Origin
    id: str
    status: WaitStatus
    maybe_sought: Sought | None
    at: int


class GapRecord(NamedTuple):
    """Something is missing, or no longer."""

    partition: int
    group: str
    status: GapStatus
    sought: Sought
    at: int


def sought(requirement: Requirement) -> Sought:
    """Give a requirement in words of the tables."""
    text = f"{requirement.sender}:{requirement.seq}"
    if isinstance(requirement, UpTo):
        return Sought(text, requirement.measure.value, requirement.by or "")
    return Sought(text)


def encode_wait(record: WaitRecord) -> bytes:
    """Bytes of a waits record; the same record always gives the same bytes."""
    fields: dict[str, Any] = {"id": record.id, "status": record.status.value, "at": record.at}
    if record.maybe_sought is not None:
        fields |= record.maybe_sought._asdict()
    head = encode_head(
        WAIT_MAGIC, record.ordinal, 0, record.partition, record.origin, MarkBits.NONE
    )
    return head + _json(fields)


def decode_wait(value: bytes) -> WaitRecord:
    """The reverse of `encode_wait`; raises `RecordError` for any other bytes."""
    _, ordinal, _, partition, origin = decode_head(value, WAIT_MAGIC)
    fields = _fields(value[HEAD_BYTES:], required=("id", "status", "at"))
    maybe_sought = _sought(fields) if "waiting_for" in fields else None
    status = _one_of(WaitStatus, fields["status"])
    if (status is WaitStatus.HELD) != (maybe_sought is not None):
        raise RecordError("a waits record names what is waited for if and only if it is held")
    return WaitRecord(
        ordinal, partition, origin, str(fields["id"]), status, maybe_sought, _number(fields["at"])
    )


def encode_gap(record: GapRecord) -> bytes:
    """Bytes of a gaps record."""
    fields = {
        "partition": record.partition,
        "group": record.group,
        "status": record.status.value,
        **record.sought._asdict(),
        "at": record.at,
    }
    return _json(fields)


def decode_gap(value: bytes) -> GapRecord:
    """The reverse of `encode_gap`; raises `RecordError` for any other bytes."""
    fields = _fields(value, required=("partition", "group", "status", "at"))
    return GapRecord(
        _number(fields["partition"]),
        str(fields["group"]),
        _one_of(GapStatus, fields["status"]),
        _sought(fields),
        _number(fields["at"]),
    )


def _json(fields: dict[str, Any]) -> bytes:
    return json.dumps(fields, separators=(",", ":")).encode()


def _fields(value: bytes, *, required: tuple[str, ...]) -> dict[str, Any]:
    try:
        fields = json.loads(value)
    except (ValueError, RecursionError) as error:
        raise RecordError(f"the record's fields are a JSON object: {error}") from error
    if not isinstance(fields, dict) or any(name not in fields for name in required):
        raise RecordError(f"the record has the fields {', '.join(required)} and others")
    return fields


def _sought(fields: dict[str, Any]) -> Sought:
    try:
        return Sought(str(fields["waiting_for"]), str(fields["measure"]), str(fields["by"]))
    except KeyError as error:
        raise RecordError(f"the record does not say {error}") from error


def _one_of(kind: type[Any], value: object) -> Any:
    try:
        return kind(value)
    except ValueError as error:
        raise RecordError(f"the record has a status that is not known: {error}") from error


def _number(value: object) -> int:
    if type(value) is not int:
        raise RecordError(f"{value!r} is not a whole number")
    return value
