"""What a message may wait for, and how the engine tells people about it.

A requirement is one of two things: *exactly this id*, which is simply a `MessageId`, or *this
sender up to here*, an `UpTo`. They are never equal, because an `UpTo` has more fields.
"""

from enum import StrEnum
from typing import NamedTuple, TypeAlias

from ordering.values import MemberId, MessageId


class Measure(StrEnum):
    """In what "up to here" is counted."""

    DELIVERED = "delivered"
    """every message of the sender up to this seq has been delivered or given up"""
    CAPTURED = "captured"
    """every message of the sender up to this seq has been received or given up"""
    SENT_AT = "sent_at"
    """every message that the sender sent up to this instant has been delivered, or delta is over"""
    ACKNOWLEDGED = "acknowledged"
    """member `by` has said that it has every message of the sender up to this seq"""
    PRECEDING = "preceding"
    """what of the sender's messages up to this seq precedes by the discipline's own rule has been
    delivered"""


class UpTo(NamedTuple):
    """This sender up to here. `by` is the member who must confirm, for ACKNOWLEDGED alone."""

    sender: MemberId
    seq: int
    measure: Measure = Measure.DELIVERED
    by: MemberId | None = None


Requirement: TypeAlias = MessageId | UpTo


def delivered_up_to(sender: str, seq: int) -> UpTo:
    """Make an UpTo of deliveries at half the cost: one is made for every message that waits."""
    return tuple.__new__(UpTo, (sender, seq, Measure.DELIVERED, None))


class Missing(NamedTuple):
    """One thing that is waited for: by how many held messages in all, and since when."""

    requirement: Requirement
    waiting: int
    since_at: int


class Standing(StrEnum):
    """Where an id stands in a group."""

    DELIVERED = "delivered"
    HELD = "held"
    ABANDONED = "abandoned"
    MISSING = "missing"
    """not received, and something waits for it"""
    UNKNOWN = "unknown"
    """not received, and nothing waits for it"""


class Link(NamedTuple):
    """One step of a chain: this held message waits for this."""

    message_id: MessageId
    waiting_for: Requirement


class Why(NamedTuple):
    """The chain from a held message to what is missing.

    `chain` starts at the message asked about and is empty unless it is held; `missing` is what the
    last link waits for.
    """

    message_id: MessageId
    standing: Standing
    chain: tuple[Link, ...] = ()
    missing: Requirement | None = None
