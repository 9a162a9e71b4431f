"""Ordered records as tuples of the columns of `deliveries`, fast: nearly all are plain.

A plain record has no marks, stamps or tag and at most one parent: its parts lie in known places.
All others, and what is damaged, are for `decoding.delivery_row`, which gives the same for plain
ones too. A dictionary for each row would cost most of the history query.
"""

from __future__ import annotations

from struct import Struct
from typing import Any, Final

from ingest.wire.errors import WireError
from ingest.wire.message_decoder import MessageDecoder
from ingest.wire.names import group_of
from sinks.records import HEAD_BYTES, PLAIN_HEAD, PLAIN_START

PLAIN_COLUMNS: Final = (
    "group", "position", "id", "sender", "seq", "parent", "also", "payload", "marks", "sent_at",
    "raw_partition", "raw_offset", "raw_entry", "captured_at", "ordinal",
)  # fmt: skip

# of the envelope: the payload's length, the tag's length, sent_at
_PAYLOAD: Final = Struct(">16xIH10xQ")
_NONE: Final[tuple[str, ...]] = ()
# What shapes messages have says nothing about a topic.
_decoder = MessageDecoder()


def plain_row(key: bytes, value: bytes) -> tuple[Any, ...] | None:
    """Give the values of `PLAIN_COLUMNS`; None if the record is not plain, or none of ours."""
    if value[:8] != PLAIN_START or len(value) < HEAD_BYTES:
        return None
    envelope = value[HEAD_BYTES:]
    maybe_parts = _decoder.parts(envelope) or _learn(envelope)
    if maybe_parts is None or maybe_parts[0] != key:
        return None
    _, ordinal, position, partition, entry, offset, captured_at = PLAIN_HEAD.unpack_from(value)
    _, sender, seq, parent, parent_seq = maybe_parts
    payload_length, tag_length, sent_at = _PAYLOAD.unpack_from(envelope)
    if tag_length:
        return None
    try:
        group = group_of(key)
    except WireError:
        return None
    return (
        group, position, f"{sender}:{seq}", sender, seq,
        f"{parent}:{parent_seq}" if parent_seq else None, _NONE,
        envelope[len(envelope) - payload_length :], _NONE,
        sent_at, partition, offset, entry, captured_at, ordinal,
    )  # fmt: skip


def _learn(envelope: bytes) -> tuple[bytes, str, int, str, int] | None:
    """Give the parts of a message of a new shape, if it is a plain one."""
    try:
        _decoder.decode(envelope, ())
    except WireError:
        return None
    return _decoder.parts(envelope)
