"""What a shard writes: records for each topic, numbered in the order in which they are given here.

The shard gives them in the order of the log, so that the numbers (ordinals) are a function of the
log too. Records about gaps have no numbers: they are for alerts, and a repeat does no harm.
"""

from __future__ import annotations

from ordering.events import (
    Abandoned,
    Delivered,
    Duplicate,
    Event,
    GapClosed,
    GapOpened,
    Held,
    Mark,
    Quarantined,
    Released,
)
from ordering.requirement import Requirement
from ordering.values import Message
from ordering_udfs.shard_state import ShardState
from sinks.identity import id_text
from sinks.membership import MembershipRecord, encode_membership
from sinks.records import (
    MarkBits,
    Origin,
    QuarantineRecord,
    encode_quarantine,
    write_ordered,
)
from sinks.waits import (
    GapRecord,
    GapStatus,
    WaitRecord,
    WaitStatus,
    encode_gap,
    encode_wait,
    sought,
)

_MARK_BITS = {Mark.LATE: MarkBits.LATE, Mark.PARENT_MISSING: MarkBits.PARENT_MISSING}


MOST_REASONS = 64
"""Reasons that are counted each for itself: there are some thirty, and agents may have others."""

OTHER_REASONS = "other"


class Records:
    """Records for one topic, as two columns."""

    __slots__ = ("keys", "values")

    def __init__(self) -> None:
        self.keys: list[bytes] = []
        self.values: list[bytes] = []

    def add(self, key: bytes, value: bytes) -> None:
        """Add one record."""
        self.keys.append(key)
        self.values.append(value)


class Outputs:
    """The records of one batch; counts them into the state as they are written."""

    def __init__(self, state: ShardState) -> None:
        self.ordered = Records()
        self.quarantine = Records()
        self.waits = Records()
        self.gaps = Records()
        self.membership = Records()
        self._state = state
        self._is_released = False

    def clear(self) -> None:
        """Drop the records, which somebody has taken; the numbers go on."""
        for one in vars(self).values():
            if isinstance(one, Records):
                one.keys.clear()
                one.values.clear()

    def extend(self, others: Outputs) -> None:
        """Take the records of the piece of the batch that comes next."""
        for name in ("ordered", "quarantine", "waits", "gaps", "membership"):
            mine, more = getattr(self, name), getattr(others, name)
            mine.keys += more.keys
            mine.values += more.values

    def tell(self, key: bytes, event: Event) -> None:
        """Write what an event means to the readers of the topics."""
        if isinstance(event, Delivered):
            self.deliver(key, event)
        elif isinstance(event, Quarantined):
            message = event.message
            detail = f"message {id_text(message.id)}"
            self.refuse(key, message.origin, event.reason.value, detail, message.content)
            self._end_wait(key, message, WaitStatus.QUARANTINED)
        elif isinstance(event, Duplicate):
            self._state.duplicates += 1
        elif isinstance(event, Held):
            # One that was not told as waiting yet will be told at the next tick.
            if event.message.origin[0] < self._state.tick_offset:
                self.wait(key, event.message, event.waiting_for)
        elif isinstance(event, Released):
            self._is_released = True
        elif isinstance(event, GapOpened):
            self._gap(key, event.requirement, GapStatus.OPEN)
        elif isinstance(event, GapClosed):
            self._gap(key, event.requirement, GapStatus.CLOSED)
        elif isinstance(event, Abandoned):
            self._gap(key, event.requirement, GapStatus.ABANDONED)

    def deliver(self, key: bytes, event: Delivered) -> None:
        """Write one delivery, and the end of its wait if it was told as waiting."""
        state = self._state
        state.delivered += 1
        marks = 0
        for mark in event.marks:
            marks |= _MARK_BITS[mark]
        message = event.message
        value = write_ordered(
            state.delivered, event.position, state.partition, message.origin, marks, message.content
        )
        self.ordered.add(key, value)
        status = WaitStatus.RELEASED if self._is_released else WaitStatus.DELIVERED
        self._end_wait(key, message, status)
        self._is_released = False

    def refuse(
        self, key: bytes, origin: tuple[int, ...], reason: str, detail: str, captured: bytes
    ) -> None:
        """Write something that will not be delivered."""
        state = self._state
        state.quarantined += 1
        reasons = state.reasons
        counted = reason if reason in reasons or len(reasons) < MOST_REASONS else OTHER_REASONS
        reasons[counted] = reasons.get(counted, 0) + 1
        record = QuarantineRecord(
            state.quarantined, state.partition, Origin(*origin), reason, detail, captured
        )
        self.quarantine.add(key, encode_quarantine(record))

    def tell_membership(
        self, key: bytes, origin: tuple[int, ...], position: int, envelope: bytes
    ) -> None:
        """Write what a member told about a group whose last delivery has this position."""
        state = self._state
        state.membership += 1
        record = MembershipRecord(
            state.membership, position, state.partition, Origin(*origin), envelope
        )
        self.membership.add(key, encode_membership(record))

    def wait(self, key: bytes, message: Message, waiting_for: Requirement) -> None:
        """Write that a message is held, and what it waits for."""
        self._wait(key, message, WaitStatus.HELD, waiting_for)

    def _end_wait(self, key: bytes, message: Message, status: WaitStatus) -> None:
        if message.origin[0] < self._state.tick_offset:
            self._wait(key, message, status, None)

    def _wait(
        self, key: bytes, message: Message, status: WaitStatus, maybe_for: Requirement | None
    ) -> None:
        state = self._state
        state.waits += 1
        record = WaitRecord(
            ordinal=state.waits,
            partition=state.partition,
            origin=Origin(*message.origin),
            id=id_text(message.id),
            status=status,
            maybe_sought=None if maybe_for is None else sought(maybe_for),
            at=state.now,
        )
        self.waits.add(key, encode_wait(record))

    def _gap(self, key: bytes, requirement: Requirement, status: GapStatus) -> None:
        record = GapRecord(self._state.partition, key.decode(), status, sought(requirement),
                           self._state.now)  # fmt: skip
        self.gaps.add(key, encode_gap(record))
