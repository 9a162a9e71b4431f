"""Compare what was captured with what was delivered, without knowing anything of the engine.

Five anomalies, each counted, each 0 in a healthy system:

lost
    Captured, every ancestor captured too, not quarantined, and yet in no ordered record.
    *b answers a; both are in the raw topic; only a is in the ordered topic: b is lost.*
duplicated
    One message delivered at two positions, one position given to two messages, or one message both
    delivered and quarantined. In the table also: one row twice.
    *a at position 1 and again at position 4.* (A repeat of a record with its own position and bytes
    is allowed in the topic, and counted as `repeats`.)
out_of_order
    A delivery without its parent before it (unless it is marked as released without it), or a
    group whose positions are not 1, 2, 3 ... in the order of the topic.
    *b answers a; b has position 1, a has position 2.*
unseen
    In the ordered topic, not in the table; or quarantined in the topic, not in the table.
payload_mismatch
    An ordered record whose envelope is not, byte for byte, the raw record that it says it came
    from, or a row of the table that says something else than its ordered record.

What is not an anomaly is counted as well: `held` (an ancestor was never captured), `duplicates`
(the same bytes captured again), `quarantined`, `repeats`, `equivocations` (the same id captured
with other bytes, so late that it was taken for a duplicate), and `behind` (captured after the last
record that the job says it has looked at). While the job runs, only what it says it has looked at
is judged.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError
from ordering.values import MessageId
from sinks.identity import id_text
from sinks.records import Counters, MarkBits, OrderedRecord, QuarantineRecord

Coordinates = tuple[int, int, int]  # raw partition, offset, entry within the record
Key = tuple[str, MessageId]  # a message id is unique within its group only

# Examples kept for each anomaly: enough to start looking, few enough to print.
MAXIMUM_EXAMPLES = 5


class CapturedMessage(NamedTuple):
    """One message of the raw topic that is a well-formed envelope."""

    key: Key
    parents: tuple[MessageId, ...]
    content: bytes


class DeliveryRow(NamedTuple):
    """What is compared of one row of the `deliveries` table."""

    group: str
    position: int
    id: str
    payload: bytes
    coordinates: Coordinates
    ordinal: int


class Report(NamedTuple):
    """The result; `ok` if and only if every anomaly is 0."""

    anomalies: dict[str, int]
    examples: dict[str, list[str]]
    counts: dict[str, int]

    @property
    def ok(self) -> bool:
        """Is there no anomaly at all?"""
        return not any(self.anomalies.values())

    def line(self) -> str:
        """The one line that ends every demo."""
        return "  ".join(f"{name} {count}" for name, count in self.anomalies.items())


ANOMALIES = ("lost", "duplicated", "out_of_order", "unseen", "payload_mismatch")


class Verification:
    """Takes the sources one after the other, then gives the report.

    The order of the calls is the order of the methods: raw, ordered, quarantine, then the tables.
    The sources must have been read the other way round, the raw topic last, so that each holds at
    least what the ones before it speak of.
    """

    def __init__(self, *, counters: Mapping[int, Counters] | None = None) -> None:
        self._maybe_counters = counters
        self._captured: dict[Coordinates, CapturedMessage | None] = {}
        self._raw_content: dict[Coordinates, bytes] = {}
        self._delivered: dict[Key, OrderedRecord] = {}
        self._by_position: dict[tuple[str, int], Key] = {}
        self._quarantined: dict[tuple[int, int], Coordinates] = {}
        self._examples: dict[str, list[str]] = {name: [] for name in ANOMALIES}
        self._anomalies = dict.fromkeys(ANOMALIES, 0)
        self._repeats = 0

    def take_raw(self, coordinates: Coordinates, content: bytes) -> None:
        """One message of the raw topic, each partition in the order of its offsets."""
        self._raw_content[coordinates] = content
        self._captured[coordinates] = _parse(content)

    def take_ordered(self, records: Iterable[OrderedRecord]) -> None:
        """The ordered topic, each partition in the order of its offsets."""
        last_ordinals: dict[int, int] = {}
        last_positions: dict[str, int] = defaultdict(int)
        for record in records:
            coordinates = (record.partition, record.origin.offset, record.origin.entry)
            maybe_message = _parse(record.envelope)
            if self._raw_content.get(coordinates) != record.envelope or maybe_message is None:
                self._found("payload_mismatch", f"ordered record from raw {coordinates}")
                continue
            group, message_id = key = maybe_message.key
            if record.ordinal <= last_ordinals.get(record.partition, 0):
                self._take_repeat(key, record)
                continue
            last_ordinals[record.partition] = record.ordinal
            name = f"{id_text(message_id)} of {group} at position {record.position}"
            if key in self._delivered or (group, record.position) in self._by_position:
                self._found("duplicated", name)
                continue
            if record.position != last_positions[group] + 1:
                self._found("out_of_order", f"{name} after position {last_positions[group]}")
            last_positions[group] = record.position
            self._delivered[key] = record
            self._by_position[group, record.position] = key
            self._check_parents(name, maybe_message, record)

    def take_quarantine(self, records: Iterable[QuarantineRecord]) -> None:
        """The quarantine topic, in any order."""
        delivered_from = {_coordinates(record) for record in self._delivered.values()}
        for record in records:
            coordinates = (record.partition, record.origin.offset, record.origin.entry)
            if (record.partition, record.ordinal) in self._quarantined:
                self._repeats += 1
                continue
            self._quarantined[record.partition, record.ordinal] = coordinates
            if self._raw_content.get(coordinates) != record.captured:
                self._found("payload_mismatch", f"quarantine record from raw {coordinates}")
            if coordinates in delivered_from:
                self._found("duplicated", f"raw {coordinates} is delivered and quarantined")

    def take_deliveries(self, rows: Iterable[DeliveryRow]) -> None:
        """The table `deliveries`, in any order of rows."""
        seen: set[tuple[str, int]] = set()
        for row in rows:
            place = (row.group, row.position)
            name = f"{row.id} of {row.group} at position {row.position} in the table"
            if place in seen:
                self._found("duplicated", name)
                continue
            seen.add(place)
            maybe_key = self._by_position.get(place)
            if maybe_key is None or not self._agrees(row, maybe_key):
                self._found("payload_mismatch", name)
        for place in self._by_position.keys() - seen:
            record = self._delivered[self._by_position[place]]
            if record.ordinal <= self._counted(record.partition, "delivered"):
                self._found("unseen", f"position {place[1]} of {place[0]}")

    def take_quarantine_rows(self, rows: Iterable[tuple[int, int]]) -> None:
        """The table `quarantine` as (raw partition, ordinal), in any order of rows."""
        seen: set[tuple[int, int]] = set()
        for row in rows:
            if row in seen:
                self._found("duplicated", f"quarantine row {row} in the table")
            seen.add(row)
        for partition, ordinal in self._quarantined.keys() - seen:
            if ordinal <= self._counted(partition, "quarantined"):
                self._found("unseen", f"quarantine ordinal {ordinal} of partition {partition}")

    def report(self) -> Report:
        """Count what is lost and what is held, and close the account."""
        quarantined = set(self._quarantined.values())
        judged: dict[Key, CapturedMessage] = {}
        duplicates = equivocations = behind = 0
        for coordinates, maybe_message in self._captured.items():
            if coordinates in quarantined:
                continue
            if coordinates[1] > self._counted(coordinates[0], "through_offset"):
                behind += maybe_message is None or maybe_message.key not in self._delivered
            elif maybe_message is None:
                self._found("lost", f"raw {coordinates}, which is no message, is not in quarantine")
            elif maybe_message.key not in judged:
                judged[maybe_message.key] = maybe_message
            else:
                duplicates += 1
                equivocations += maybe_message.content != judged[maybe_message.key].content
        deliverable = _deliverable(judged.values())
        for group, message_id in sorted(deliverable - self._delivered.keys()):
            self._found("lost", f"{id_text(message_id)} of {group}")
        counts = {
            "captured": len(self._captured),
            "delivered": len(self._delivered),
            "held": len(judged.keys() - deliverable - self._delivered.keys()),
            "duplicates": duplicates,
            "quarantined": len(self._quarantined),
            "repeats": self._repeats,
            "equivocations": equivocations,
            "behind": behind,
        }
        return Report(self._anomalies, self._examples, counts)

    def _take_repeat(self, key: Key, record: OrderedRecord) -> None:
        if self._delivered.get(key) == record:
            self._repeats += 1
        else:
            self._found(
                "duplicated", f"{id_text(key[1])} of {key[0]} at position {record.position}"
            )

    def _check_parents(self, name: str, message: CapturedMessage, record: OrderedRecord) -> None:
        if MarkBits.PARENT_MISSING in record.marks:
            return
        group = message.key[0]
        for parent in message.parents:
            if (group, parent) not in self._delivered:
                self._found("out_of_order", f"{name} before its parent {id_text(parent)}")

    def _agrees(self, row: DeliveryRow, key: Key) -> bool:
        record = self._delivered[key]
        return (
            row.id == id_text(key[1])
            and row.ordinal == record.ordinal
            and row.coordinates == _coordinates(record)
            and row.payload == decode(record.envelope).payload
        )

    def _counted(self, partition: int, name: str) -> float:
        """How far the job says it is in a partition; without its word everything is judged."""
        if self._maybe_counters is None:
            return math.inf
        return int(getattr(self._maybe_counters.get(partition, Counters(partition)), name))

    def _found(self, anomaly: str, example: str) -> None:
        self._anomalies[anomaly] += 1
        if len(self._examples[anomaly]) < MAXIMUM_EXAMPLES:
            self._examples[anomaly].append(example)


def _coordinates(record: OrderedRecord) -> Coordinates:
    return (record.partition, record.origin.offset, record.origin.entry)


def _parse(content: bytes) -> CapturedMessage | None:
    try:
        envelope = decode(content)
    except WireError:
        return None
    if envelope.kind is not Kind.MESSAGE:
        return None
    message_id = MessageId(envelope.sender, envelope.seq)
    return CapturedMessage((envelope.group, message_id), envelope.parents, content)


def _deliverable(messages: Iterable[CapturedMessage]) -> set[Key]:
    """Every message all of whose ancestors were captured: from the roots along the answers."""
    children: dict[Key, list[CapturedMessage]] = defaultdict(list)
    missing: dict[Key, int] = {}
    ready: list[Key] = []
    for message in messages:
        group = message.key[0]
        distinct = set(message.parents)
        missing[message.key] = len(distinct)
        for parent in distinct:
            children[group, parent].append(message)
        if not distinct:
            ready.append(message.key)
    deliverable: set[Key] = set()
    while ready:
        key = ready.pop()
        deliverable.add(key)
        for child in children[key]:
            missing[child.key] -= 1
            if not missing[child.key]:
                ready.append(child.key)
    return deliverable
