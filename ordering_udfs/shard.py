"""One shard: the groups of one raw partition, and what their messages come to.

Plain values in, plain values out; Spark's part is in `host.py`. For every raw record, in offset
order:

1. decode the envelope; bytes that are none are quarantined with the reason;
2. hand the message to its group's engine (restored on first touch);
3. turn the engine's events into records of the ordered and the quarantine topic, numbered by this
   shard's ordinals.

Everything depends on the log alone: records come out in the order of the raw records that caused
them, whatever the batches were::

    raw offset   7: b answers a     8: a          9: junk
    ordered                         a b
    quarantine                                    junk
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise
from typing import NamedTuple

from ingest.wire.envelope import Envelope, Kind, decode, message_of
from ingest.wire.errors import WireError
from ingest.wire.partition import partition_of
from ordering.engine import Engine
from ordering.events import Delivered, Duplicate, Event, Mark, Quarantined
from ordering.policy import GroupPolicy
from ordering_udfs.errors import StateError
from ordering_udfs.shard_state import ShardState, decode_snapshot, encode_snapshot
from sinks.identity import id_text
from sinks.records import (
    Counters,
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    encode_ordered,
    encode_quarantine,
)

WRONG_PARTITION = "wrong_partition"
UNSUPPORTED_KIND = "unsupported_kind"

_MARK_BITS = {Mark.LATE: MarkBits.LATE, Mark.PARENT_MISSING: MarkBits.PARENT_MISSING}


class RawRow(NamedTuple):
    """One record of the raw topic."""

    offset: int
    captured_at: int
    value: bytes


class KeyedRecord(NamedTuple):
    """One record for an output topic."""

    key: bytes
    value: bytes


class Shard:
    """Takes the raw records of one partition; gives the records of the output topics."""

    def __init__(self, state: ShardState, *, policy: GroupPolicy, partitions: int) -> None:
        self.state = state
        self.ordered: list[KeyedRecord] = []
        self.quarantine: list[KeyedRecord] = []
        self._policy = policy
        self._partitions = partitions
        self._engines: dict[str, Engine] = {}

    def receive(self, rows: Sequence[RawRow]) -> None:
        """Take the next records of the partition.

        Spark promises no order within a key, so the offsets are looked at and sorted only if they
        are out of order. An offset that was taken before means that the log is not the one that
        this state was made from.
        """
        rows = _in_offset_order(rows)
        if not rows:
            return
        if rows[0].offset <= self.state.through_offset:
            raise StateError(
                f"partition {self.state.partition} gives offset {rows[0].offset} again after "
                f"{self.state.through_offset}: was the raw topic deleted and made anew? "
                "Start with a new checkpoint and new tables"
            )
        for row in rows:
            self._receive_row(row)
        self.state.through_offset = rows[-1].offset

    def finish(self) -> ShardState:
        """The state with every touched group's snapshot in it; the last call of a batch."""
        for group, engine in self._engines.items():
            self.state.groups[group] = encode_snapshot(engine.snapshot())
        return self.state

    def counters(self) -> Counters:
        """What this partition came to, for the counters topic; call after `finish`."""
        state = self.state
        return Counters(
            partition=state.partition,
            through_offset=state.through_offset,
            captured=state.captured,
            delivered=state.delivered,
            held=state.held,
            duplicates=state.duplicates,
            quarantined=state.quarantined,
            groups=len(state.groups),
        )

    def _receive_row(self, row: RawRow) -> None:
        self.state.captured += 1
        origin = Origin(row.offset, 0, row.captured_at)
        try:
            envelope = decode(row.value)
        except WireError as error:
            self._quarantine(b"", origin, error.reason.value, error.detail, row.value)
            return
        key = envelope.group.encode()
        if envelope.kind is not Kind.MESSAGE:
            detail = f"kind {envelope.kind.name.lower()} is not ordered"
            self._quarantine(key, origin, UNSUPPORTED_KIND, detail, row.value)
            return
        maybe_engine = self._engines.get(envelope.group)
        if maybe_engine is None:
            expected = partition_of(envelope.group, self._partitions)
            if expected != self.state.partition:
                detail = f"group {envelope.group} belongs to partition {expected}"
                self._quarantine(key, origin, WRONG_PARTITION, detail, row.value)
                return
            maybe_engine = self._touch(envelope)
        message = message_of(envelope, content=row.value, origin=origin)
        self._record(key, maybe_engine.receive(message, now=row.captured_at))

    def _touch(self, envelope: Envelope) -> Engine:
        maybe_saved = self.state.groups.get(envelope.group)
        if maybe_saved is None:
            engine = Engine(self._policy)
        else:
            engine = Engine.restore(self._policy, decode_snapshot(maybe_saved))
        self._engines[envelope.group] = engine
        return engine

    def _record(self, key: bytes, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, Delivered):
                self._deliver(key, event)
            elif isinstance(event, Duplicate):
                self.state.duplicates += 1
            elif isinstance(event, Quarantined):
                message = event.message
                detail = f"message {id_text(message.id)}"
                origin = Origin(*message.origin)
                self._quarantine(key, origin, event.reason.value, detail, message.content)

    def _deliver(self, key: bytes, event: Delivered) -> None:
        self.state.delivered += 1
        marks = MarkBits.NONE
        for mark in event.marks:
            marks |= _MARK_BITS[mark]
        record = OrderedRecord(
            ordinal=self.state.delivered,
            position=event.position,
            partition=self.state.partition,
            origin=Origin(*event.message.origin),
            marks=marks,
            envelope=event.message.content,
        )
        self.ordered.append(KeyedRecord(key, encode_ordered(record)))

    def _quarantine(
        self, key: bytes, origin: Origin, reason: str, detail: str, captured: bytes
    ) -> None:
        self.state.quarantined += 1
        record = QuarantineRecord(
            ordinal=self.state.quarantined,
            partition=self.state.partition,
            origin=origin,
            reason=reason,
            detail=detail,
            captured=captured,
        )
        self.quarantine.append(KeyedRecord(key, encode_quarantine(record)))


def _in_offset_order(rows: Sequence[RawRow]) -> Sequence[RawRow]:
    if all(left.offset < right.offset for left, right in pairwise(rows)):
        return rows
    return sorted(rows, key=lambda row: row.offset)
