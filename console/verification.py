"""Compare what was captured with what was delivered, without knowing anything of the engine.

Five anomalies, each counted, each 0 in a healthy system:

lost
    Captured, all that must come before it captured too, not quarantined, and yet in no ordered
    record.
    *b answers a; both are in the raw topic; only a is in the ordered topic: b is lost.*
duplicated
    One message delivered at two positions, one position given to two messages, or one message both
    delivered and quarantined. In the table also: one row twice.
    *a at position 1 and again at position 4.* (A repeat of a record with its own position and bytes
    is allowed in the topic, and counted as `repeats`.)
out_of_order
    A delivery without what must come before it in its group's discipline (unless it is marked as
    released without it, or the group had given that up), or a group whose positions are not
    1, 2, 3 ... in the order of the topic.
    *b answers a; b has position 1, a has position 2.*
unseen
    In the ordered, quarantine, waits or membership topic, and not in its table.
payload_mismatch
    An ordered record whose envelope is not, byte for byte, the raw record that it says it came
    from, or a row of the table that says something else than its ordered record.

What must come before a message `console.verification_rules` says. What is not an anomaly is counted
as well: `held` (something before it was never captured), `duplicates` (the same bytes captured
again), `quarantined`, `membership` (what members told about groups), `expired` (rows that upkeep
has deleted for their age), `repeats`, `equivocations` (the same id captured with other bytes, so
late that it was taken for a duplicate), `unjudged` (messages of disciplines whose order is not
judged here), and `behind` (captured after the last record that the job says it has looked at).
While the job runs, only what it says it has looked at is judged.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterable, Mapping, Set

from console.verification_expiry import Expiry
from console.verification_report import Findings, Report
from console.verification_rules import (
    SEMANTIC,
    Key,
    Rule,
    deliverable_of,
    policy_change_of,
    rule_for,
)
from console.verification_values import (
    CapturedMessage,
    Coordinates,
    DeliveryRow,
    coordinates_of,
    parse_captured,
)
from ingest.wire.envelope import decode
from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from sinks.identity import id_text
from sinks.membership import MembershipRecord
from sinks.records import Counters, MarkBits, OrderedRecord, QuarantineRecord
from sinks.waits import WaitRecord


class Verification:
    """Takes the sources one after the other, then gives the report.

    The order of the calls is the order of the methods. The sources must have been read the other
    way round, the raw topic last, so that each holds at least what the ones before it speak of.
    """

    def __init__(
        self,
        *,
        counters: Mapping[int, Counters] | None = None,
        policies: GroupPolicies = SEMANTIC,
        expiry: Expiry | None = None,
    ) -> None:
        self._maybe_counters = counters
        self._policies = policies
        self._expiry = expiry or Expiry()
        self._expired = 0
        self._changes: dict[str, tuple[Coordinates, str]] = {}
        self._suspects: list[tuple[str, Key, Key]] = []
        self._captured: dict[Coordinates, CapturedMessage | None] = {}
        self._raw_content: dict[Coordinates, bytes] = {}
        self._delivered: dict[Key, OrderedRecord] = {}
        self._by_position: dict[tuple[str, int], Key] = {}
        self._quarantined: dict[tuple[int, int], Coordinates] = {}
        self._membership: dict[tuple[int, int], Coordinates] = {}
        self._findings = Findings()
        self._found = self._findings.add
        self._repeats = 0

    def take_raw(self, coordinates: Coordinates, content: bytes) -> None:
        """One datagram of the raw topic, each partition in the order of its offsets.

        The job's own ticks are no datagrams and must not be given.
        """
        self._raw_content[coordinates] = content
        maybe_change = policy_change_of(content)
        if maybe_change is not None:
            self._changes[maybe_change[0]] = (coordinates, maybe_change[1])
        else:
            self._captured[coordinates] = parse_captured(content)

    def take_ordered(self, records: Iterable[OrderedRecord]) -> None:
        """The ordered topic, each partition in the order of its offsets."""
        last_ordinals: dict[int, int] = {}
        last_positions: dict[str, int] = defaultdict(int)
        for record in records:
            coordinates = coordinates_of(record)
            maybe_message = parse_captured(record.envelope)
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
            self._check_order(name, maybe_message, record)

    def take_quarantine(self, records: Iterable[QuarantineRecord]) -> None:
        """The quarantine topic, in any order."""
        delivered_from = {coordinates_of(record) for record in self._delivered.values()}
        for record in records:
            coordinates = coordinates_of(record)
            if (record.partition, record.ordinal) in self._quarantined:
                self._repeats += 1
                continue
            place = (record.partition, record.ordinal)
            self._quarantined[place] = coordinates
            self._expiry.note("quarantine", place, captured_at=record.origin.captured_at)
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
            numbered = (record.partition, record.ordinal)
            self._expiry.note("deliveries", numbered, captured_at=record.origin.captured_at)
            self._miss("deliveries", numbered, f"position {place[1]} of {place[0]}", "delivered")

    def take_quarantine_rows(self, rows: Iterable[tuple[int, int]]) -> None:
        """The table `quarantine` as (raw partition, ordinal), in any order of rows."""
        self._compare_rows("quarantine", self._quarantined.keys(), rows, counted="quarantined")

    def take_waits(self, records: Iterable[WaitRecord], rows: Iterable[tuple[int, int]]) -> None:
        """The topic `waits`, and the table as (raw partition, ordinal)."""
        told: set[tuple[int, int]] = set()
        for record in records:
            place = (record.partition, record.ordinal)
            self._repeats += place in told
            told.add(place)
            self._expiry.note("waits", place, captured_at=record.origin.captured_at)
            coordinates = coordinates_of(record)
            maybe_message = self._captured.get(coordinates)
            if maybe_message is None or id_text(maybe_message.key[1]) != record.id:
                self._found("payload_mismatch", f"waits record from raw {coordinates}")
        self._compare_rows("waits", told, rows, counted="waits")

    def take_membership(
        self, records: Iterable[MembershipRecord], rows: Iterable[tuple[int, int]]
    ) -> None:
        """The topic `membership`, and the table as (raw partition, ordinal)."""
        quarantined = set(self._quarantined.values())
        for record in records:
            place = (record.partition, record.ordinal)
            coordinates = coordinates_of(record)
            self._repeats += place in self._membership
            self._membership[place] = coordinates
            self._expiry.note("membership", place, captured_at=record.origin.captured_at)
            if self._raw_content.get(coordinates) != record.envelope:
                self._found("payload_mismatch", f"membership record from raw {coordinates}")
            if coordinates in quarantined:
                self._found("duplicated", f"raw {coordinates} is membership and quarantined")
        self._compare_rows("membership", self._membership.keys(), rows, counted="membership")

    def _compare_rows(
        self,
        table: str,
        told: Set[tuple[int, int]],
        rows: Iterable[tuple[int, int]],
        *,
        counted: str,
    ) -> None:
        """Each numbered record of a topic must stand once in its table."""
        seen: set[tuple[int, int]] = set()
        for row in rows:
            if row in seen:
                self._found("duplicated", f"{table} row {row} in the table")
            seen.add(row)
        for place in told - seen:
            self._miss(table, place, f"{table} ordinal {place[1]} of partition {place[0]}", counted)

    def _miss(self, table: str, place: tuple[int, int], name: str, counted: str) -> None:
        """Judge a record that has no row: expired, not judged yet, or unseen."""
        if self._expiry.is_expired(table, place):
            self._expired += 1
        elif place[1] <= self._counted(place[0], counted):
            self._found("unseen", name)

    def groups(self) -> set[str]:
        """The groups that have a message which is delivered, held or behind."""
        elsewhere = set(self._quarantined.values())
        return {
            maybe_message.key[0]
            for coordinates, maybe_message in self._captured.items()
            if maybe_message is not None and coordinates not in elsewhere
        }

    def report(self) -> Report:
        """Count what is lost and what is held, and close the account."""
        elsewhere = {*self._quarantined.values(), *self._membership.values()}
        judged: dict[Key, CapturedMessage] = {}
        duplicates = equivocations = behind = 0
        for coordinates, maybe_message in self._captured.items():
            if coordinates in elsewhere:
                continue
            if coordinates[1] > self._counted(coordinates[0], "through_offset"):
                behind += maybe_message is None or maybe_message.key not in self._delivered
            elif maybe_message is None:
                self._found("lost", f"raw {coordinates}, which is no message, stands nowhere")
            elif maybe_message.key not in judged:
                judged[maybe_message.key] = maybe_message
            else:
                duplicates += 1
                equivocations += maybe_message.content != judged[maybe_message.key].content
        self._judge_suspects()
        rules = {key: self._rule(message) for key, message in judged.items()}
        deliverable = deliverable_of(
            {key: rule.before for key, rule in rules.items() if rule and rule.is_complete}
        )
        for group, message_id in sorted(deliverable - self._delivered.keys()):
            self._found("lost", f"{id_text(message_id)} of {group}")
        counts = {
            "captured": len(self._captured),
            "delivered": len(self._delivered),
            "held": len(judged.keys() - deliverable - self._delivered.keys()),
            "duplicates": duplicates,
            "quarantined": len(self._quarantined),
            "membership": len(self._membership),
            "expired": self._expired,
            "repeats": self._repeats,
            "equivocations": equivocations,
            "unjudged": sum(rule is None for rule in rules.values()),
            "behind": behind,
        }
        return self._findings.report(counts)

    def _take_repeat(self, key: Key, record: OrderedRecord) -> None:
        if self._delivered.get(key) == record:
            self._repeats += 1
        else:
            self._found(
                "duplicated", f"{id_text(key[1])} of {key[0]} at position {record.position}"
            )

    def _rule(self, message: CapturedMessage) -> Rule | None:
        """By the group's last policy: what is held when it changes is judged anew."""
        group, message_id = message.key
        policy = self._policy(group)
        return rule_for(
            policy, message_id, parents=message.parents, maybe_stamps=message.maybe_stamps
        )

    def _policy(self, group: str) -> GroupPolicy:
        maybe_change = self._changes.get(group)
        return self._policies.of(group, None if maybe_change is None else maybe_change[1])

    def _check_order(self, name: str, message: CapturedMessage, record: OrderedRecord) -> None:
        """Note what a message lacks; what was captured before a change of policy is not judged."""
        group = message.key[0]
        maybe_change = self._changes.get(group)
        is_older = maybe_change is not None and coordinates_of(record) < maybe_change[0]
        maybe_rule = self._rule(message)
        if MarkBits.PARENT_MISSING in record.marks or is_older or maybe_rule is None:
            return
        for before in maybe_rule.before:
            if (group, before) not in self._delivered:
                self._suspects.append((name, message.key, (group, before)))

    def _judge_suspects(self) -> None:
        """A message may go without what its group had given up: that never came, or came late."""
        for name, (group, _), before in self._suspects:
            maybe_record = self._delivered.get(before)
            is_given_up = maybe_record is None or MarkBits.LATE in maybe_record.marks
            if self._policy(group).give_up is GiveUp.HOLD or not is_given_up:
                self._found("out_of_order", f"{name} before {id_text(before[1])}")

    def _agrees(self, row: DeliveryRow, key: Key) -> bool:
        record = self._delivered[key]
        return (
            row.id == id_text(key[1])
            and row.ordinal == record.ordinal
            and row.coordinates == coordinates_of(record)
            and row.payload == decode(record.envelope).payload
        )

    def _counted(self, partition: int, name: str) -> float:
        """How far the job says it is in a partition; without its word everything is judged."""
        if self._maybe_counters is None:
            return math.inf
        return int(getattr(self._maybe_counters.get(partition, Counters(partition)), name))
