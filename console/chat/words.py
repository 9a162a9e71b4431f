"""What others wrote, made safe to show: no control characters, no markup, no endless lines.

Everything that comes from a member goes through `shown` or `name_shown` and becomes a rich `Text`,
never markup: brackets stay brackets, and an escape sequence can't reach the terminal.
"""

from __future__ import annotations

import unicodedata
from typing import Final
from zlib import crc32

from ordering.requirement import Requirement, UpTo
from ordering.values import MessageId, split_pid

MOST_CHARACTERS: Final = 600
"""Of one message on the screen; the rest is cut, with a mark."""

CUT_MARK: Final = "…"
REPLACEMENT: Final = "�"
LINE_MARK: Final = " ⏎ "

GREY: Final = "#8c8c8c"
"""Of what is held, and of what is said besides: to be read on a dark and on a light ground."""

# Readable on a dark and on a light ground; a name has the same one on every screen.
NAME_COLOURS: Final = (
    "#e5695e", "#dd9b3a", "#9db53f", "#4fb873", "#3fb5ad", "#4f9fe0", "#8a87ee", "#d072c2",
)  # fmt: skip

_FORMATS_THAT_JOIN: Final = "‌‍"
"""Without these two, emoji of several parts and some scripts would fall apart."""


def shown(text: str, *, most: int = MOST_CHARACTERS) -> str:
    """One line of what somebody wrote, without anything that a terminal would obey."""
    lines = [line for line in text[: most * 4].splitlines() if line.strip()]
    clean = "".join(_safe(character) for character in LINE_MARK.join(lines).replace("\t", "  "))
    return clean if len(clean) <= most else clean[: most - 1] + CUT_MARK


def name_shown(pid: str) -> str:
    """The name of a member, without its incarnation."""
    return shown(split_pid(pid)[0], most=40)


def id_shown(message_id: MessageId) -> str:
    """A message for people: `bob's 7th` would be long, `bob:7` is clear."""
    return f"{name_shown(message_id.sender)}:{message_id.seq}"


def requirement_shown(requirement: Requirement) -> str:
    """What a held message waits for."""
    if isinstance(requirement, UpTo):
        name = name_shown(requirement.sender)
        return f"{name}'s messages up to {requirement.seq}"
    return id_shown(requirement)


def colour_of(pid: str) -> str:
    """The colour of a name."""
    name = split_pid(pid)[0]
    return NAME_COLOURS[crc32(name.encode("utf-8", "replace")) % len(NAME_COLOURS)]


def _safe(character: str) -> str:
    if unicodedata.category(character) in ("Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"):
        return character if character in _FORMATS_THAT_JOIN else REPLACEMENT
    return character
