"""Messages and requirements as plain nested lists, and back: what snapshots are made of."""

from typing import Any, Final

from ordering.requirement import Measure, Requirement, UpTo
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps
from ordering.values import MemberId, Message, MessageId

STAMP_KINDS: Final[tuple[type[Stamps], ...]] = (CausalStamps, SignificantStamps, ObjectStamps)
"""The kinds of stamps by number; a new kind goes at the end, because snapshots hold the numbers."""


def write_message(message: Message) -> list[Any]:
    """Write a message down, all but its id."""
    return [
        [[parent.sender, parent.seq] for parent in message.parents],
        message.content,
        _write_stamps(message.stamps),
        list(message.origin),
    ]


def read_message(message_id: MessageId, record: list[Any]) -> Message:
    """Read back what `write_message` wrote."""
    parents, content, stamps, origin = record
    return Message(
        message_id,
        tuple(MessageId(MemberId(sender), seq) for sender, seq in parents),
        bytes(content),
        _read_stamps(stamps),
        tuple(origin),
    )


def write_requirement(requirement: Requirement) -> list[Any]:
    """Write a requirement down; its length tells which kind it is."""
    if isinstance(requirement, UpTo):
        return [requirement.sender, requirement.seq, requirement.measure.value, requirement.by]
    return [requirement.sender, requirement.seq]


def read_requirement(record: list[Any]) -> Requirement:
    """Read back what `write_requirement` wrote."""
    if len(record) == len(MessageId._fields):
        return MessageId(record[0], record[1])
    sender, seq, measure, by = record
    return UpTo(sender, seq, Measure(measure), by)


def _write_stamps(stamps: Stamps | None) -> list[Any] | None:
    if stamps is None:
        return None
    return [STAMP_KINDS.index(type(stamps)), *stamps]


def _read_stamps(record: list[Any] | None) -> Stamps | None:
    if record is None:
        return None
    stamps: Stamps = STAMP_KINDS[record[0]](*(_as_tuples(field) for field in record[1:]))
    return stamps


def _as_tuples(value: Any) -> Any:
    """Turn lists, as an encoding may give them back, into the tuples that stamps are made of.

    Stamps nest three deep at most (a vector of triples), so the recursion is bounded by their type.
    """
    return tuple(_as_tuples(item) for item in value) if isinstance(value, list | tuple) else value
