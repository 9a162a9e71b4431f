"""Fields: where a value of a message stands in a datagram, and what it may be.

    =orders        the same for every datagram: the text behind the sign
    @group         the group's address and port, such as 239.1.1.1:5000
    @source        the address of whoever sent it, without the port
    anything else  a place, written as the format wants it (`json_fields`, `fixed_fields`)

A field depends on the datagram's bytes and addresses only, never on the agent or its clock: two
agents that hear the same datagram make the same message of it.
"""

from collections.abc import Callable
from typing import Any, Final, TypeAlias

from ingest.datagram import Datagram
from ingest.mapping.errors import MappingError, MappingReason

ABSENT: Final = None
"""What a field gives that is not there; JSON's null is the same."""

Field: TypeAlias = Callable[[Datagram, Any], Any]
"""Gives a value of a datagram; the second argument is the document that its bytes are."""

CONSTANT: Final = "="
GROUP: Final = "@group"
SOURCE: Final = "@source"
_MOST_DIGITS: Final = 20
"""Of a number that is written as text; the largest that a message can have is 19 digits long."""


def common_field(text: str) -> Field | None:
    """Give the field that any format has; None if the text names a place in the datagram."""
    if text.startswith(CONSTANT):
        constant = text[len(CONSTANT) :]
        return lambda _datagram, _document: constant
    if text == GROUP:
        return lambda datagram, _document: str(datagram.group_address)
    if text == SOURCE:
        return lambda datagram, _document: datagram.source.rpartition(":")[0].strip("[]")
    if text.startswith("@"):
        raise ValueError(f"{text!r} is not known; write {GROUP} or {SOURCE}")
    return None


def is_constant(text: str) -> bool:
    """Whether a field is the same for every datagram."""
    return text.startswith(CONSTANT)


def as_text(value: Any, *, name: str) -> str:
    """Read a value as a name: text, or a whole number. Raises MappingError for anything else."""
    if isinstance(value, str):
        return value
    if isinstance(value, int) and not isinstance(value, bool):
        return str(value)
    raise _refused(value, name=name, wanted="text or a whole number")


def as_number(value: Any, *, name: str) -> int:
    """Read a value as a whole number, written as a number or as decimal digits."""
    if isinstance(value, int) and not isinstance(value, bool):
        return value
    is_digits = isinstance(value, str) and value.isascii() and value.isdigit()
    if is_digits and len(value) <= _MOST_DIGITS:
        return int(value)
    raise _refused(value, name=name, wanted="a whole number")


def _refused(value: Any, *, name: str, wanted: str) -> MappingError:
    if value is ABSENT:
        return MappingError(MappingReason.MISSING_FIELD, f"there is no {name}")
    return MappingError(
        MappingReason.BAD_FIELD, f"the {name} is {type(value).__name__}, which is not {wanted}"
    )
