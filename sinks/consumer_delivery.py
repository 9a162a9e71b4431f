"""A delivered message as `OrderedConsumer` gives it, the same from the topic and from the table."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sinks.decoding import delivery_row


class Delivery(NamedTuple):
    """One delivered message; instants are microseconds since 1970."""

    group: str
    position: int
    """1, 2, 3 ... of the group; a child's is always greater than its parent's."""
    id: str
    sender: str
    seq: int
    parents: tuple[str, ...]
    """What it answers, the first one first; empty for a root."""
    payload: bytes
    stamps: bytes | None
    marks: tuple[str, ...]
    """`late`, `parent_missing`; empty for nearly all."""
    sent_at: int | None
    captured_at: int
    partition: int
    """Of the raw topic, and of the ordered topic too."""
    offset: int
    """Of the raw record that it was captured in."""
    entry: int
    ordinal: int
    """1, 2, 3 ... of the partition."""

    @property
    def parent(self) -> str | None:
        """The message that it answers; None for a root."""
        return self.parents[0] if self.parents else None

    @property
    def text(self) -> str:
        """The payload as UTF-8; bytes that are none are shown as a replacement sign."""
        return self.payload.decode(errors="replace")


def delivery_of_row(row: Mapping[str, Any]) -> Delivery:
    """From a row of the table `deliveries` whose instants are whole numbers."""
    parents = () if row["parent"] is None else (row["parent"], *row["also"])
    return Delivery(
        row["group"],
        row["position"],
        row["id"],
        row["sender"],
        row["seq"],
        parents,
        row["payload"],
        row["stamps"],
        tuple(row["marks"]),
        row["sent_at"],
        row["captured_at"],
        row["raw_partition"],
        row["raw_offset"],
        row["raw_entry"],
        row["ordinal"],
    )


def delivery_of_record(key: bytes, value: bytes) -> Delivery:
    """From a record of the ordered topic; raises `RecordError` or `WireError` for other bytes."""
    return delivery_of_row(delivery_row(key, value))
