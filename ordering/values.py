"""The values that the engine orders: ids and messages.

A member is named by its pid, `name#incarnation`. A member that restarts with a fresh counter
takes the next incarnation, because otherwise its ids would repeat.
"""

from typing import NamedTuple, NewType

from ordering.stamps import Stamps

GroupId = NewType("GroupId", str)
MemberId = NewType("MemberId", str)

INCARNATION_MARK = "#"
NO_INCARNATION = 0


class MessageId(NamedTuple):
    """Which message: its sender, and the sender's count of its messages in the group, from 1."""

    sender: MemberId
    seq: int


class Message(NamedTuple):
    """One captured message of one group.

    `parents` is empty for a message that answers nothing. `content` is what the message is, byte
    for byte: two messages with one id and different content are an equivocation. `origin` says
    where the message was captured; the engine carries it and never reads it.
    """

    id: MessageId
    parents: tuple[MessageId, ...]
    content: bytes
    stamps: Stamps | None = None
    origin: tuple[int, ...] = ()


def split_pid(pid: str) -> tuple[str, int]:
    """Split `name#incarnation`; a pid without a number after the mark is all name.

    The engine calls it for each new sender, so a malformed pid must not raise: it is simply a name
    that has no other incarnations.
    """
    name = name_of(pid)
    return name, NO_INCARNATION if name is pid else int(pid[len(name) + 1 :])


def name_of(pid: str) -> str:
    """Give the name in a pid: what stands before the mark and a number, or the pid itself."""
    name, mark, incarnation = pid.rpartition(INCARNATION_MARK)
    return name if mark and incarnation.isdecimal() and incarnation.isascii() else pid
