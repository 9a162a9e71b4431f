"""What the operator may choose about foreign traffic: the `[mapping]` section.

docs/edge/mapping.md has a worked example for each format.
"""

from dataclasses import dataclass, field
from enum import StrEnum

from ingest.mapping.fields import GROUP, SOURCE, is_constant
from ingest.mapping.fixed_fields import fixed_field
from ingest.mapping.json_fields import json_field
from ingest.wire.addresses import GroupAddress, parse_group_address

PREVIOUS = "previous"
"""Every message answers the one before it of the same sender."""

_FIELDS = ("group", "sender", "incarnation", "seq", "payload", "sent_at")
_PARENT_FIELDS = ("parent_sender", "parent_incarnation", "parent_seq")
_PLACE = "a place in the datagram, =text, @group or @source"


class MappingFormat(StrEnum):
    """What foreign datagrams look like."""

    NONE = "none"
    JSON = "json"
    FIXED = "fixed"


class TimeUnit(StrEnum):
    """How a foreign system writes an instant, counted from the epoch but for the last."""

    SECONDS = "s"
    MILLISECONDS = "ms"
    MICROSECONDS = "us"
    NANOSECONDS = "ns"
    ISO = "iso"


def _place(default: str, help_text: str) -> str:
    chosen: str = field(default=default, metadata={"help": help_text, "form": _PLACE})
    return chosen


@dataclass(frozen=True, kw_only=True, slots=True)
class MappingSettings:
    """How datagrams that are not ours become messages; off unless a format is chosen."""

    format: MappingFormat = field(
        default=MappingFormat.NONE,
        metadata={
            "help": "What the foreign datagrams look like. Fields are then named by JSON Pointers "
            "(/head/from) or by fixed places (4:8:text); none = every datagram is an envelope."
        },
    )
    addresses: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "The multicast addresses that carry foreign datagrams; empty = all of the "
            "agent's.",
            "form": "239.1.1.1:5000",
        },
    )
    group: str = _place(GROUP, "Where the group stands.")
    sender: str = _place(SOURCE, "Where the sender's name stands.")
    incarnation: str = _place(
        "=1", "Where the sender's incarnation stands, a number from 1; constant if it has none."
    )
    seq: str = _place("", "Where the sequence number stands, counted by sender and group.")
    first_seq: int = field(
        default=1,
        metadata={
            "help": "The sequence number with which a sender begins; it becomes 1.",
            "minimum": 0,
            "maximum": 2**62,
        },
    )
    payload: str = _place("", "Where the payload stands; empty = the whole datagram.")
    sent_at: str = _place("", "Where the time of sending stands; empty = it is not known.")
    sent_at_unit: TimeUnit = field(
        default=TimeUnit.MICROSECONDS,
        metadata={"help": "How the time of sending is written."},
    )
    parents: str = field(
        default="",
        metadata={
            "help": "JSON: the list of parents, in which the next three are looked up; previous = "
            "the message before it of the same sender; empty = the datagram names one at most."
        },
    )
    parent_sender: str = _place(
        "", "Where the parent's sender stands; empty = the message's own sender."
    )
    parent_incarnation: str = _place(
        "", "Where the parent's incarnation stands; empty = the message's own."
    )
    parent_seq: str = _place(
        "", "Where the parent's sequence number stands; empty with parents = each item is one."
    )
    no_parent_seq: int | None = field(
        default=None,
        metadata={
            "help": "The parent's sequence number that says that there is no parent.",
            "minimum": 0,
            "maximum": 2**63 - 1,
        },
    )

    def __post_init__(self) -> None:
        """Refuse a mapping that could make no message, before a datagram arrives."""
        self.group_addresses()
        if self.format is MappingFormat.NONE:
            return
        if not self.seq:
            raise ValueError("seq is empty; say where the sequence number stands")
        for name in (*_FIELDS, *_PARENT_FIELDS):
            text = getattr(self, name)
            if text:
                self._require_field(name, text)
        if is_constant(self.incarnation) and not self.incarnation[1:].isdecimal():
            raise ValueError(
                f"incarnation is {self.incarnation!r}, which is no number; write one such as =1"
            )
        self._require_parents()

    def group_addresses(self) -> frozenset[GroupAddress]:
        """The addresses, taken apart; MulticastError for one that is none."""
        return frozenset(parse_group_address(text) for text in self.addresses)

    def _require_field(self, name: str, text: str) -> None:
        try:
            if self.format is MappingFormat.JSON:
                json_field(text)
            else:
                fixed_field(text)
        except ValueError as error:
            raise ValueError(f"{name} is wrong: {error}") from None

    def _require_parents(self) -> None:
        if self.parents and self.parents != PREVIOUS:
            if self.format is not MappingFormat.JSON:
                raise ValueError(
                    f"parents is {self.parents!r}, a list, which only JSON has; write {PREVIOUS} or"
                    " give parent_seq"
                )
            self._require_field("parents", self.parents)
        is_named = bool(self.parent_sender)
        if is_named and not self.parent_seq:
            raise ValueError("parent_sender is given and parent_seq is not; give both")
        if is_named and not self.parent_incarnation and not is_constant(self.incarnation):
            raise ValueError(
                "parent_sender is given and parent_incarnation is not, though incarnations differ;"
                " say where the parent's stands"
            )
