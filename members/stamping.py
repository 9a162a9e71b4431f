"""Stamping: the id and the stamps of what a member sends, by the discipline of the group.

A plain group only counts. A causal group stamps what its sender has accepted
(`ordering.stamping.causal`). In a group of objects the calls of `members.objects` bring stamps of
their own along, so here they are only counted.
"""

from collections.abc import Iterable
from typing import Protocol

from ordering.runs import Runs, pairs
from ordering.stamping.causal import CausalSender
from ordering.stamps import Stamps
from ordering.values import MemberId, Message, MessageId


class Stamper(Protocol):
    """Counts and stamps one member's messages in one group."""

    def stamp(self, *, dst: tuple[str, ...], buf: int) -> tuple[MessageId, Stamps | None]:
        """Give the id and the stamps of the next message."""
        ...

    def accept(self, message: Message) -> None:
        """Get to know a message that was delivered."""
        ...


class PlainStamper:
    """Only counts."""

    def __init__(self, pid: MemberId) -> None:
        self._pid = pid
        self._seq = 0

    def stamp(self, *, dst: tuple[str, ...], buf: int) -> tuple[MessageId, Stamps | None]:
        """Give the next id."""
        del dst, buf
        self._seq += 1
        return MessageId(self._pid, self._seq), None

    def accept(self, message: Message) -> None:
        """Nothing needs to be known."""


def make_stamper(
    discipline: str, pid: MemberId, *, accepted: Iterable[tuple[MemberId, Runs]] = ()
) -> Stamper:
    """Give a stamper for a group; `accepted` is what was delivered before, after a new start."""
    if discipline != "causal":
        return PlainStamper(pid)
    sender = CausalSender(pid)
    for member, runs in accepted:
        for low, high in pairs(runs):
            for seq in range(low, high + 1):
                sender.accept(Message(MessageId(member, seq), (), b""))
    return sender
