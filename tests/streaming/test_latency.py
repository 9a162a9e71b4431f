"""The latency is that of each message once, under the discipline of its group."""

from __future__ import annotations

from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies, parse_rule
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from streaming.latency import Latency
from tests.messages import wire

SEMANTIC = GroupPolicy()
POLICIES = GroupPolicies(SEMANTIC, (parse_rule("floor.*=fifo", default=SEMANTIC),))


def record(ordinal: int, *, captured_at: int) -> bytes:
    origin = Origin(ordinal, 0, captured_at)
    return encode_ordered(OrderedRecord(ordinal, ordinal, 0, origin, MarkBits.NONE, wire("a", 1)))


def test_each_delivery_counts_once_under_its_groups_discipline() -> None:
    latency = Latency(POLICIES)
    for _ in range(2):  # the second time it is a repeat
        latency.take(b"dev", record(1, captured_at=1_000_000), written_at=1_200_000)
        latency.take(b"floor.1", record(2, captured_at=1_000_000), written_at=3_000_000)
    assert set(latency.by_discipline) == {"semantic", "fifo"}
    assert latency.by_discipline["semantic"].count == 1
    assert latency.by_discipline["semantic"].total == 0.2
    assert latency.by_discipline["fifo"].quantile(0.5) == 2.0


def test_a_clock_ahead_is_no_time_and_a_foreign_record_is_nothing() -> None:
    latency = Latency(POLICIES)
    latency.take(b"dev", b"junk", written_at=5)
    assert not latency.by_discipline
    latency.take(b"dev", record(1, captured_at=9_000_000), written_at=5)
    assert latency.by_discipline["semantic"].total == 0.0
