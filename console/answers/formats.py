r"""Formats of `precede tail -f`: the signs of kcat, and a few for what only ordered messages have.

    parse_format("%P %u: %s\n")(delivery)  ->  "7 bob#1: I do\n"

What comes from outside is made harmless if a person looks at it, and left as it is in a pipe.
"""

from __future__ import annotations

import re
from collections.abc import Callable

from console.errors import UsageError
from console.terminal import printable
from sinks.consumer_delivery import Delivery

Field = Callable[[Delivery], str]
NONE = "-"
_MICROSECONDS_PER_MILLISECOND = 1_000

FIELDS: dict[str, tuple[str, Field]] = {
    "s": ("the payload", lambda one: one.text),
    "S": ("bytes of the payload", lambda one: str(len(one.payload))),
    "k": ("the key, which is the group", lambda one: one.group),
    "K": ("bytes of the key", lambda one: str(len(one.group.encode()))),
    "T": (
        "when it was captured, milliseconds since 1970",
        lambda one: str(one.captured_at // _MICROSECONDS_PER_MILLISECOND),
    ),
    "p": ("the partition", lambda one: str(one.partition)),
    "o": ("the offset of the raw record", lambda one: str(one.offset)),
    "P": ("the position in the group", lambda one: str(one.position)),
    "O": ("the ordinal", lambda one: str(one.ordinal)),
    "i": ("the message id", lambda one: one.id),
    "u": ("who sent it", lambda one: one.sender),
    "a": ("the message that it answers, or -", lambda one: one.parent or NONE),
    "m": ("its marks, or -", lambda one: ",".join(one.marks) or NONE),
}
"""Sign -> what it stands for, and how it is made."""

ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "0": "\0", "\\": "\\"}
_PIECE = re.compile(r"%(.)|\\(x[0-9a-fA-F]{2}|.)", re.DOTALL)


def parse_format(text: str, *, is_for_people: bool) -> Field:
    """The function that writes a delivery; raises `UsageError` for a sign that is not known."""
    pieces: list[str | Field] = []
    place = 0
    for found in _PIECE.finditer(text):
        pieces.append(text[place : found.start()])
        place = found.end()
        sign, escape = found.groups()
        pieces.append(_escaped(escape) if sign is None else _field(sign))
    rest = text[place:]
    if rest.endswith(("%", "\\")):
        raise UsageError(f"the format ends in {rest[-1]}: write {rest[-1] * 2} for the sign itself")
    pieces.append(rest)

    def write(delivery: Delivery) -> str:
        return "".join(
            piece
            if isinstance(piece, str)
            else printable(piece(delivery))
            if is_for_people
            else piece(delivery)
            for piece in pieces
        )

    return write


def _field(sign: str) -> str | Field:
    if sign == "%":
        return "%"
    if sign not in FIELDS:
        known = " ".join(f"%{name}" for name in FIELDS)
        raise UsageError(f"the format has %{sign}, which is not known: there are {known} and %%")
    return FIELDS[sign][1]


def _escaped(escape: str) -> str:
    if escape.startswith("x"):
        return chr(int(escape[1:], 16))
    return ESCAPES.get(escape, f"\\{escape}")


def described() -> str:
    """Every sign and what it stands for, for the help."""
    return "\n".join(f"  %{sign}  {meaning}" for sign, (meaning, _) in FIELDS.items())
