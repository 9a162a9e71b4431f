"""The text form of a message id, `sender:seq`, as tables, pages and commands show it."""

from __future__ import annotations

from ordering.values import MemberId, MessageId
from sinks.errors import RecordError


def id_text(message_id: MessageId) -> str:
    """`alice#1:7` for the seventh message of alice's first incarnation."""
    return f"{message_id.sender}:{message_id.seq}"


def parse_id(text: str) -> MessageId:
    """The reverse of `id_text`; raises `RecordError` for any other text."""
    sender, separator, seq = text.rpartition(":")
    if not separator or not sender or not seq.isascii() or not seq.isdigit():
        raise RecordError(f"{text!r} is no message id: it has the form name#incarnation:seq")
    return MessageId(MemberId(sender), int(seq))
