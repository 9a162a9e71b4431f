"""What a person may type besides messages: orders that begin with a slash.

/create floor those who build   /join floor last 20   /leave   /who   /sync   /quit
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from ingest.wire.synchronisation import LAST
from members.asking import ALL, NOW, JoinPolicy, last

SLASH: Final = "/"


class Verb(StrEnum):
    """Every order."""

    CREATE = "create"
    JOIN = "join"
    LEAVE = "leave"
    WHO = "who"
    SYNC = "sync"
    HELP = "help"
    QUIT = "quit"


HELP: Final = (
    "/create NAME [what it is for]",
    "/join NAME [all | now | last N]",
    "/leave  /who  /sync  /quit",
    "↑ goes to the messages; Enter on one answers it, Esc answers nothing",
)


@dataclass(frozen=True, slots=True)
class Order:
    """One order, understood."""

    verb: Verb
    name: str = ""
    rest: str = ""
    history: JoinPolicy = ALL


class OrderError(Exception):
    """Something after a slash that is no order; the message says what is one."""


def parse(text: str) -> Order | str:
    """Read what a person typed: an order, or the text of a message. Raises OrderError."""
    if not text.startswith(SLASH):
        return text
    if text.startswith(SLASH * 2):
        return text[1:]
    words = text[1:].split()
    known = ", ".join(f"/{verb}" for verb in Verb)
    if not words or words[0] not in set(Verb):
        raise OrderError(f"there is no such order; {known}. Begin with // to say it")
    verb = Verb(words[0])
    if verb in (Verb.CREATE, Verb.JOIN) and len(words) < 2:
        raise OrderError(f"/{verb} needs the name of a group")
    name = words[1] if len(words) > 1 else ""
    if verb is Verb.JOIN:
        return Order(verb, name, history=history_of(words[2:]))
    return Order(verb, name, " ".join(words[2:]))


def history_of(words: list[str]) -> JoinPolicy:
    """What a newcomer wants of what was said before."""
    if not words or words == ["all"]:
        return ALL
    if words == ["now"]:
        return NOW
    if len(words) == 2 and words[0] == "last" and words[1].isascii() and words[1].isdigit():
        return last(min(int(words[1]), LAST))
    raise OrderError("/join NAME all, /join NAME now, or /join NAME last 20")
