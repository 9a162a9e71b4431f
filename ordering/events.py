"""What happened to a message: the only fates, and the gaps that opened and closed.

Every received message gets exactly one of Delivered, Held, Quarantined or Duplicate at once; a held
one gets Delivered (after Released, if the give-up rule freed it) or Quarantined later.
"""

from enum import StrEnum
from typing import Final, NamedTuple, TypeAlias

from ordering.requirement import Requirement
from ordering.values import Message, MessageId


class Mark(StrEnum):
    """What a reader should know about a delivery."""

    LATE = "late"
    """it came after the group had given it up"""
    PARENT_MISSING = "parent_missing"
    """something that it must follow was given up before it was delivered"""


NO_MARKS: Final[frozenset[Mark]] = frozenset()


class Reason(StrEnum):
    """Why a message was quarantined, or released."""

    EQUIVOCATION = "equivocation"
    SELF_PARENT = "self_parent"
    CYCLE = "cycle"
    PARENT_IN_ANOTHER_GROUP = "parent_in_another_group"
    """for the host, which alone sees several groups"""
    SUPERSEDED_INCARNATION = "superseded_incarnation"
    SEQUENCE_INVALID = "sequence_invalid"
    SEQUENCE_JUMP = "sequence_jump"
    SETTLED = "settled"
    """older than the gaps that the group still remembers; whether it was delivered is unknown"""
    PAYLOAD_TOO_LARGE = "payload_too_large"
    TOO_MANY_PARENTS = "too_many_parents"
    VECTOR_TOO_WIDE = "vector_too_wide"
    STAMPS_MALFORMED = "stamps_malformed"
    MEMBERS_FULL = "members_full"
    INCARNATIONS_FULL = "incarnations_full"
    HELD_BY_SENDER_FULL = "held_by_sender_full"
    HELD_BY_GROUP_FULL = "held_by_group_full"
    GAVE_UP = "gave_up"
    """what it waited for did not come in time"""


class Delivered(NamedTuple):
    """The message takes this place in the group's sequence."""

    position: int
    message: Message
    marks: frozenset[Mark] = NO_MARKS


class Held(NamedTuple):
    """The message waits for this, and perhaps for more after it."""

    message: Message
    waiting_for: Requirement


class Released(NamedTuple):
    """The give-up rule freed a held message; its Delivered is the next event."""

    message_id: MessageId
    reason: Reason


class Quarantined(NamedTuple):
    """The message will not be delivered; the host keeps its bytes where people can see them."""

    message: Message
    reason: Reason


class Duplicate(NamedTuple):
    """The message had been received before."""

    message: Message


class GapOpened(NamedTuple):
    """Something that has not been received is waited for."""

    requirement: Requirement


class GapClosed(NamedTuple):
    """What was waited for has been received."""

    requirement: Requirement


class Abandoned(NamedTuple):
    """What was waited for has been given up."""

    requirement: Requirement


Event: TypeAlias = (
    Delivered | Held | Released | Quarantined | Duplicate | GapOpened | GapClosed | Abandoned
)
