"""What happened to a message: the only fates, and the gaps that opened and closed.

Every received message gets exactly one of Delivered, Held, Quarantined or Duplicate at once; a held
one gets Delivered (after Released, if the give-up rule freed it) or Quarantined later.
"""

from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Final, TypeAlias, TypeVar

from ordering.requirement import Requirement
from ordering.values import Message, MessageId

Kind = TypeVar("Kind", bound="Fact")


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


class Maker(type):
    """Makes events: `Delivered(7, message)` makes a blank one and fills it in.

    The hot loops make a blank one (`maker_of_blank`) and fill it in by hand, which costs half of
    calling a class that has `__init__`, and a third of making a named tuple.
    """

    if not TYPE_CHECKING:

        def __call__(cls, *values, **named):
            """Make an event from its fields."""
            event = super().__call__()
            cls._fill(event, *values, **named)
            return event


class Fact(metaclass=Maker):
    """What all events have in common: they compare and print by their fields.

    Events have slots and nothing else, because the engine makes two or three for every message.
    Nobody changes an event once it is made.
    """

    __slots__ = ()
    __match_args__: tuple[str, ...] = ()

    def __init_subclass__(cls) -> None:
        """Put `__init__` aside, so that a blank event can be made without it."""
        cls._fill = cls.__init__  # type: ignore[attr-defined]
        del cls.__init__

    def _fields(self) -> tuple[Any, ...]:
        return tuple(getattr(self, name) for name in self.__match_args__)

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._fields() == other._fields()

    def __hash__(self) -> int:
        return hash((type(self).__name__, self._fields()))

    def __repr__(self) -> str:
        fields = (f"{name}={getattr(self, name)!r}" for name in self.__match_args__)
        return f"{type(self).__name__}({', '.join(fields)})"


def maker_of_blank(kind: type[Kind]) -> Callable[[], Kind]:
    """Give a function that makes events of a kind with no field filled in. For hot loops alone."""
    make: Callable[[], Kind] = type.__call__.__get__(kind)
    return make


class Delivered(Fact):
    """The message takes this place in the group's sequence."""

    __slots__ = ("marks", "message", "position")
    __match_args__ = ("position", "message", "marks")

    def __init__(self, position: int, message: Message, marks: frozenset[Mark] = NO_MARKS) -> None:
        self.position = position
        self.message = message
        self.marks = marks


class Held(Fact):
    """The message waits for this, and perhaps for more after it.

    Told again when a held message has got what it waited for and waits for the next thing.
    """

    __slots__ = ("message", "waiting_for")
    __match_args__ = ("message", "waiting_for")

    def __init__(self, message: Message, waiting_for: Requirement) -> None:
        self.message = message
        self.waiting_for = waiting_for


class Released(Fact):
    """The give-up rule freed a held message; its Delivered is the next event."""

    __slots__ = ("message_id", "reason")
    __match_args__ = ("message_id", "reason")

    def __init__(self, message_id: MessageId, reason: Reason) -> None:
        self.message_id = message_id
        self.reason = reason


class Quarantined(Fact):
    """The message will not be delivered; the host keeps its bytes where people can see them."""

    __slots__ = ("message", "reason")
    __match_args__ = ("message", "reason")

    def __init__(self, message: Message, reason: Reason) -> None:
        self.message = message
        self.reason = reason


class Duplicate(Fact):
    """The message had been received before."""

    __slots__ = ("message",)
    __match_args__ = ("message",)

    def __init__(self, message: Message) -> None:
        self.message = message


class GapOpened(Fact):
    """Something that has not been received was still waited for when the log's time moved."""

    __slots__ = ("requirement",)
    __match_args__ = ("requirement",)

    def __init__(self, requirement: Requirement) -> None:
        self.requirement = requirement


class GapClosed(Fact):
    """What a told gap waited for has been received."""

    __slots__ = ("requirement",)
    __match_args__ = ("requirement",)

    def __init__(self, requirement: Requirement) -> None:
        self.requirement = requirement


class Abandoned(Fact):
    """What a told gap waited for has been given up."""

    __slots__ = ("requirement",)
    __match_args__ = ("requirement",)

    def __init__(self, requirement: Requirement) -> None:
        self.requirement = requirement


Event: TypeAlias = (
    Delivered | Held | Released | Quarantined | Duplicate | GapOpened | GapClosed | Abandoned
)
