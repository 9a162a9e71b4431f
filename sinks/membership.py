"""The records of the membership topic: who came to a group, and who left it, as members told it.

An agent captures what members tell about groups (`ingest/wire/management.py`) in the same log as
their messages. The job keeps it in the order of that log: a record is the head that all numbered
records have (`sinks.records`, magic PRCM), then the envelope exactly as it was captured. `position`
is that of the group's last delivery before it, so that a reader can lay both sequences together::

    ordered      1      2             3
    membership             bob joins     after_position = 2

A record that was captured twice is told twice: it says the same.
"""

from __future__ import annotations

import json
from typing import Any, NamedTuple

from ingest.wire.envelope import Envelope, decode
from ingest.wire.management import Create, GroupsInfo, ManagementBody, decode_management
from sinks.records import HEAD_BYTES, MarkBits, Origin, decode_head, encode_head

MEMBERSHIP_MAGIC = b"PRCM"

SEALED = "sealed"
"""What stands for the kind where only a holder of the group's key can read the body."""

_KINDS = {
    "Advertise": "advertise",
    "Create": "create",
    "Join": "join",
    "Leave": "leave",
    "GroupsInfo": "groups_info",
}


class MembershipRecord(NamedTuple):
    """Something that a member told about groups."""

    ordinal: int
    position: int
    partition: int
    origin: Origin
    envelope: bytes


def encode_membership(record: MembershipRecord) -> bytes:
    """Bytes of a membership record; the same record always gives the same bytes."""
    ordinal, position, partition, origin, envelope = record
    head = encode_head(MEMBERSHIP_MAGIC, ordinal, position, partition, origin, MarkBits.NONE)
    return head + envelope


def decode_membership(value: bytes) -> MembershipRecord:
    """The reverse of `encode_membership`; raises `RecordError` for any other bytes."""
    _, ordinal, position, partition, origin = decode_head(value, MEMBERSHIP_MAGIC)
    return MembershipRecord(ordinal, position, partition, origin, value[HEAD_BYTES:])


def membership_row(_key: bytes, value: bytes) -> dict[str, Any]:
    """One row of `membership`; raises `RecordError` or `WireError` for other bytes."""
    record = decode_membership(value)
    envelope = decode(record.envelope)
    return {
        "group": envelope.group,
        "sender": envelope.sender,
        "seq": envelope.seq,
        "after_position": record.position,
        "sent_at": envelope.sent_at,
        "raw_partition": record.partition,
        "raw_offset": record.origin.offset,
        "raw_entry": record.origin.entry,
        "captured_at": record.origin.captured_at,
        "ordinal": record.ordinal,
        **_told(envelope),
    }


def _told(envelope: Envelope) -> dict[str, Any]:
    """What the body says, in words of the table."""
    if envelope.is_sealed:
        return {"kind": SEALED}
    body: ManagementBody = decode_management(envelope.payload)
    told: dict[str, Any] = {"kind": _KINDS[type(body).__name__]}
    if isinstance(body, Create):
        told |= {
            "description": body.description,
            "discipline": body.discipline,
            "acceptance": body.acceptance,
        }
    elif isinstance(body, GroupsInfo):
        told["groups"] = json.dumps(
            [{name: getattr(info, name) for name in info.__struct_fields__} for info in body.groups]
        )
    return told
