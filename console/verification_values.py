"""What a verification compares: captured messages, rows of the table, and where they came from."""

from __future__ import annotations

from typing import NamedTuple

from console.verification_rules import Key
from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from ordering.stamps import Stamps
from ordering.values import MessageId
from sinks.membership import MembershipRecord
from sinks.records import OrderedRecord, QuarantineRecord
from sinks.waits import WaitRecord

Coordinates = tuple[int, int, int]  # raw partition, offset, entry within the record


class CapturedMessage(NamedTuple):
    """One message of the raw topic that is a well-formed envelope."""

    key: Key
    parents: tuple[MessageId, ...]
    content: bytes
    maybe_stamps: Stamps | None


class DeliveryRow(NamedTuple):
    """What is compared of one row of the `deliveries` table."""

    group: str
    position: int
    id: str
    payload: bytes
    coordinates: Coordinates
    ordinal: int


def coordinates_of(
    record: OrderedRecord | QuarantineRecord | WaitRecord | MembershipRecord,
) -> Coordinates:
    return (record.partition, record.origin.offset, record.origin.entry)


def parse_captured(content: bytes) -> CapturedMessage | None:
    try:
        envelope = decode(content)
    except WireError:
        return None
    if envelope.kind is not Kind.MESSAGE:
        return None
    message_id = MessageId(envelope.sender, envelope.seq)
    key = (envelope.group, message_id)
    return CapturedMessage(key, envelope.parents, content, envelope.stamps)
