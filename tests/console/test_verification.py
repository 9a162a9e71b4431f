"""`verify` finds each anomaly when it is planted, and nothing in a healthy system."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.verification import Verification
from console.verification_expiry import Expiry
from console.verification_report import Report
from console.verification_values import DeliveryRow
from ingest.authentication.mode import Mode
from ingest.wire.envelope import Kind, decode, encode
from ingest.wire.management import Join, encode_management
from ingest.wire.refusal import Refusal, encode_refusal
from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.control import write_policy_change
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from sinks.membership import MembershipRecord
from sinks.records import (
    Counters,
    MarkBits,
    OrderedRecord,
    Origin,
    QuarantineRecord,
    decode_ordered,
    decode_quarantine,
)
from sinks.waits import Sought, WaitRecord, WaitStatus
from tests.ingest.keys import keyring
from tests.messages import wire

A = wire("a", 1)
B = wire("b", 1, ("a", 1))
C = wire("c", 1, ("b", 1))
ORPHAN = wire("d", 1, ("nobody", 9))


class System:
    """A small system as its topics and tables show it; tests spoil one part."""

    def __init__(self) -> None:
        self.raw: list[bytes] = [B, A, A, b"junk", C, ORPHAN]
        self.ordered = [ordered(1, 1, A), ordered(2, 0, B), ordered(3, 4, C)]
        self.quarantine = [QuarantineRecord(1, 0, Origin(3, 0, 0), "too_short", "", b"junk")]
        self.deliveries = [row(record) for record in self.ordered]
        self.quarantine_rows = [(0, 1)]
        self.membership: list[MembershipRecord] = []
        self.membership_rows: list[tuple[int, int]] = []
        self.expiry: Expiry | None = None
        self.counters: dict[int, Counters] | None = None

    def verify(self) -> Report:
        verification = Verification(counters=self.counters, expiry=self.expiry)
        for offset, content in enumerate(self.raw):
            verification.take_raw((0, offset, 0), content)
        verification.take_ordered(self.ordered)
        verification.take_quarantine(self.quarantine)
        verification.take_deliveries(self.deliveries)
        verification.take_quarantine_rows(self.quarantine_rows)
        verification.take_membership(self.membership, self.membership_rows)
        return verification.report()


def ordered(ordinal: int, offset: int, envelope: bytes, *, position: int = 0) -> OrderedRecord:
    origin = Origin(offset, 0, 0)
    return OrderedRecord(ordinal, position or ordinal, 0, origin, MarkBits.NONE, envelope)


def row(record: OrderedRecord) -> DeliveryRow:
    envelope = decode(record.envelope)
    return DeliveryRow(
        envelope.group,
        record.position,
        f"{envelope.sender}:{envelope.seq}",
        envelope.payload,
        (record.partition, record.origin.offset, 0),
        record.ordinal,
    )


@pytest.fixture
def system() -> System:
    return System()


def found(report: Report) -> dict[str, int]:
    return {name: count for name, count in report.anomalies.items() if count}


def test_a_healthy_system_has_no_anomaly_and_every_message_is_counted(system: System) -> None:
    report = system.verify()
    assert report.ok
    assert report.line() == "lost 0  duplicated 0  out_of_order 0  unseen 0  payload_mismatch 0"
    assert report.counts == {
        "captured": 6, "delivered": 3, "held": 1, "duplicates": 1, "quarantined": 1,
        "membership": 0, "expired": 0, "repeats": 0, "equivocations": 0, "unjudged": 0, "behind": 0,
    }  # fmt: skip


@pytest.mark.parametrize("mode", [Mode.MAC, Mode.AEAD])
def test_what_is_tagged_sealed_or_refused_verifies_as_the_job_orders_it(
    tmp_path: Path, mode: Mode
) -> None:
    ring = keyring(tmp_path)
    root, child = (ring.protect(decode(content), mode=mode) for content in (A, B))
    refused = encode_refusal(Refusal("forged", "10.0.0.7:40001", "", C))
    raw = [child, root, refused, root]
    shard = Shard(ShardState(0), policies=GroupPolicies(GroupPolicy()), partitions=1)
    shard.receive(RawRows(range(len(raw)), [1_000] * len(raw), raw))
    shard.finish()
    verification = Verification()
    for offset, value in enumerate(raw):
        verification.take_raw((0, offset, 0), value)
    delivered = [decode_ordered(value) for value in shard.outputs.ordered.values]
    verification.take_ordered(delivered)
    verification.take_quarantine(map(decode_quarantine, shard.outputs.quarantine.values))
    verification.take_deliveries([row(record) for record in delivered])
    verification.take_quarantine_rows([(0, 1)])
    report = verification.report()
    assert report.ok, report.examples
    assert [report.counts[name] for name in ("delivered", "quarantined", "duplicates")] == [2, 1, 1]


def test_a_message_that_was_never_delivered_is_lost(system: System) -> None:
    del system.ordered[2], system.deliveries[2]
    assert found(system.verify()) == {"lost": 1}


def test_bytes_that_were_never_quarantined_are_lost(system: System) -> None:
    system.quarantine.clear()
    system.quarantine_rows.clear()
    assert found(system.verify()) == {"lost": 1}


def test_a_message_at_two_positions_is_duplicated(system: System) -> None:
    system.ordered.append(ordered(4, 2, A))
    assert found(system.verify()) == {"duplicated": 1}


def test_two_messages_at_one_position_are_duplicated(system: System) -> None:
    system.ordered[2] = ordered(3, 4, C, position=2)
    del system.deliveries[2]
    assert found(system.verify())["duplicated"] == 1


def test_a_row_that_stands_twice_in_the_table_is_duplicated(system: System) -> None:
    system.deliveries.append(system.deliveries[0])
    assert found(system.verify()) == {"duplicated": 1}
    system.deliveries.pop()
    system.quarantine_rows.append((0, 1))
    assert found(system.verify()) == {"duplicated": 1}


def test_a_message_that_is_delivered_and_quarantined_is_duplicated(system: System) -> None:
    system.quarantine.append(QuarantineRecord(2, 0, Origin(1, 0, 0), "equivocation", "", A))
    system.quarantine_rows.append((0, 2))
    assert found(system.verify()) == {"duplicated": 1}


def test_a_child_before_its_parent_is_out_of_order(system: System) -> None:
    system.ordered[:2] = [ordered(1, 0, B), ordered(2, 1, A)]
    system.deliveries = [row(record) for record in system.ordered]
    assert found(system.verify()) == {"out_of_order": 1}


def test_a_hole_in_the_positions_is_out_of_order(system: System) -> None:
    system.ordered[2] = ordered(3, 4, C, position=5)
    system.deliveries[2] = row(system.ordered[2])
    assert found(system.verify()) == {"out_of_order": 1}


def test_an_orphan_that_is_marked_as_released_is_in_order(system: System) -> None:
    record = ordered(4, 5, ORPHAN)._replace(marks=MarkBits.PARENT_MISSING)
    system.ordered.append(record)
    system.deliveries.append(row(record))
    assert system.verify().ok
    system.ordered[3] = record._replace(marks=MarkBits.NONE)
    assert found(system.verify()) == {"out_of_order": 1}


def test_a_delivery_that_is_not_in_the_table_is_unseen(system: System) -> None:
    del system.deliveries[1]
    assert found(system.verify()) == {"unseen": 1}


def test_a_quarantine_record_that_is_not_in_the_table_is_unseen(system: System) -> None:
    system.quarantine_rows.clear()
    assert found(system.verify()) == {"unseen": 1}


def test_other_bytes_than_were_captured_are_a_mismatch(system: System) -> None:
    system.ordered[2] = ordered(3, 4, wire("c", 1, ("b", 1), payload=b"forged"))
    report = system.verify()
    assert report.anomalies["payload_mismatch"] >= 1


def test_a_row_with_another_payload_is_a_mismatch(system: System) -> None:
    system.deliveries[0] = system.deliveries[0]._replace(payload=b"forged")
    assert found(system.verify()) == {"payload_mismatch": 1}


def test_a_row_that_no_record_speaks_of_is_a_mismatch(system: System) -> None:
    system.deliveries.append(system.deliveries[0]._replace(position=9))
    assert found(system.verify()) == {"payload_mismatch": 1}


def test_a_repeat_of_the_same_record_is_allowed_and_counted(system: System) -> None:
    system.ordered[2:2] = system.ordered[:2]
    system.quarantine *= 2
    report = system.verify()
    assert report.ok
    assert report.counts["repeats"] == 3


def test_a_repeat_with_other_facts_is_duplicated(system: System) -> None:
    system.ordered.append(system.ordered[0]._replace(position=7))
    assert found(system.verify()) == {"duplicated": 1}


def test_an_equivocation_that_passed_for_a_duplicate_is_counted(system: System) -> None:
    system.raw.append(wire("a", 1, payload=b"other"))
    report = system.verify()
    assert report.ok
    assert report.counts["equivocations"] == 1


def test_what_the_job_has_not_looked_at_is_not_judged(system: System) -> None:
    system.counters = {0: Counters(0, through_offset=3, delivered=2, quarantined=1)}
    del system.ordered[2], system.deliveries[2]
    report = system.verify()
    assert report.ok
    assert report.counts["behind"] == 2


def test_what_is_delivered_ahead_of_the_tables_is_not_judged_while_the_job_runs(
    system: System,
) -> None:
    system.counters = {0: Counters(0, through_offset=3, delivered=2, quarantined=1)}
    del system.deliveries[2]
    assert system.verify().ok


def test_an_anomaly_comes_with_examples_but_not_too_many(system: System) -> None:
    system.raw = [wire("a", seq) for seq in range(1, 50)]
    system.ordered, system.deliveries = [], []
    system.quarantine, system.quarantine_rows = [], []
    report = system.verify()
    assert report.anomalies["lost"] == 49
    assert len(report.examples["lost"]) == 5


def judged_by(policy: GroupPolicy, log: list[bytes], delivered: list[int]) -> dict[str, int]:
    """The anomalies of a system that captured a log and delivered these offsets in this order."""
    verification = Verification(policies=GroupPolicies(policy))
    for offset, content in enumerate(log):
        verification.take_raw((0, offset, 0), content)
    verification.take_ordered(
        [ordered(number, offset, log[offset]) for number, offset in enumerate(delivered, start=1)]
    )
    return found(verification.report())


def test_each_discipline_is_judged_by_its_own_rule() -> None:
    log = [wire("a", 1), wire("a", 2), wire("b", 1, ("a", 2))]
    assert judged_by(GroupPolicy("fifo"), log, [2, 0, 1]) == {}
    assert judged_by(GroupPolicy("semantic"), log, [2, 0, 1]) == {"out_of_order": 1}
    assert judged_by(GroupPolicy("fifo"), log, [1, 0, 2]) == {"out_of_order": 1}
    assert judged_by(GroupPolicy("semantic"), log, [1, 0, 2]) == {}
    assert judged_by(GroupPolicy("none"), log, [2, 1]) == {"lost": 1}
    assert judged_by(GroupPolicy("fifo"), log[1:], [1]) == {}
    assert judged_by(GroupPolicy("significant"), log, [2]) == {}


def test_what_a_group_had_given_up_is_not_missing_before_what_follows() -> None:
    release = GroupPolicy("fifo", give_up=GiveUp.RELEASE, after_us=1)
    log = [wire("a", 2), wire("a", 3)]
    assert judged_by(release, log, [0, 1]) == {}
    assert judged_by(GroupPolicy("fifo"), log, [0, 1]) == {"out_of_order": 1}
    assert judged_by(release, [*log, wire("a", 1)], [0, 1, 2]) == {"out_of_order": 1}


def test_a_change_of_policy_in_the_log_is_followed() -> None:
    change = decode(wire("operator", 1))._replace(
        kind=Kind.CONTROL, payload=write_policy_change("fifo")
    )
    log = [wire("a", 1), encode(change), wire("a", 3), wire("a", 2), wire("b", 1, ("x", 1))]
    assert judged_by(GroupPolicy("semantic"), log, [0, 3, 2, 4]) == {}
    assert judged_by(GroupPolicy("semantic"), log, [0, 2, 3, 4]) == {"out_of_order": 1}
    assert judged_by(GroupPolicy("semantic"), log, [0, 3, 2]) == {"lost": 1}


def test_waits_must_be_of_captured_messages_and_stand_once_in_their_table(system: System) -> None:
    held = WaitRecord(1, 0, Origin(5, 0, 0), "d#1:1", WaitStatus.HELD, Sought("nobody#1:9"), 7)
    foreign = held._replace(ordinal=2, origin=Origin(4, 0, 0))
    for records, rows, expected in (
        ([held, held], [(0, 1)], {}),
        ([held], [], {"unseen": 1}),
        ([held], [(0, 1), (0, 1)], {"duplicated": 1}),
        ([held, foreign], [(0, 1), (0, 2)], {"payload_mismatch": 1}),
    ):
        verification = Verification()
        for offset, content in enumerate(system.raw):
            verification.take_raw((0, offset, 0), content)
        verification.take_ordered(system.ordered)
        verification.take_quarantine(system.quarantine)
        verification.take_waits(records, rows)
        assert found(verification.report()) == expected


def joined(system: System) -> MembershipRecord:
    envelope = decode(A)._replace(kind=Kind.GROUP_MANAGEMENT, payload=encode_management(Join()))
    system.raw.append(encode(envelope))
    return MembershipRecord(1, 3, 0, Origin(len(system.raw) - 1, 0, 0), system.raw[-1])


def test_what_a_member_told_is_neither_lost_nor_held(system: System) -> None:
    record = joined(system)
    assert found(system.verify()) == {"lost": 1}
    system.membership, system.membership_rows = [record, record], [(0, 1)]
    report = system.verify()
    assert report.ok
    assert (report.counts["membership"], report.counts["repeats"]) == (1, 1)
    system.membership_rows = []
    assert found(system.verify()) == {"unseen": 1}
    system.membership = [record._replace(envelope=A)]
    system.membership_rows = [(0, 1), (0, 1)]
    assert found(system.verify()) == {"payload_mismatch": 1, "duplicated": 1}
