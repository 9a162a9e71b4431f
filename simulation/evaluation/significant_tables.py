"""Asks the tables of the significant order about two messages of one history.

`significant_order` calls it for every pair of steps of one object.
"""

from __future__ import annotations

from enum import Enum

from ordering.stamps import MessageType

_COLUMNS = ("IS", "IN", "NS", "NN", "O", "N")
_SEND_SEND = {
    "IS": "x.x.x.",
    "IN": "......",
    "NS": "x.x.x.",
    "NN": "......",
    "O": "....x.",
    "N": "......",
}
_SAME = {
    "IS": "xxx.xr",
    "IN": "xx..xr",
    "NS": "x.x.rr",
    "NN": "....rr",
    "O": "xx..x.",
    "N": "......",
}
_OTHER = {"IS": "xxx.x.", "NS": "xxx.x."}


class Before(Enum):
    """How the instance that received a message stands to the one that sends."""

    SAME_INSTANCE = "same instance"
    CONFLICTING_INSTANCE = "conflicting, and ended before"


def send_send(earlier: MessageType, later: MessageType) -> bool:
    """One object sent both, in different conflicting instances."""
    return _SEND_SEND[earlier][_COLUMNS.index(later)] == "x"


def receive_send(
    earlier: MessageType, later: MessageType, *, before: Before, is_its_response: bool
) -> bool:
    """One object received the one and sent the other."""
    table = _SAME if before is Before.SAME_INSTANCE else _OTHER
    cell = table.get(earlier, "......")[_COLUMNS.index(later)]
    return cell == "x" or (cell == "r" and is_its_response)
