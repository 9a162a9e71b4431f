"""Run a shard batch by batch through the bytes of its state, for the tests of this room."""

from __future__ import annotations

import random
from typing import NamedTuple

from ingest.wire.envelope import encode, tick
from ordering.policy import GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from ordering_udfs.warm_shards import WarmShards
from sinks.membership import MembershipRecord, decode_membership
from sinks.records import OrderedRecord, QuarantineRecord, decode_ordered, decode_quarantine
from sinks.waits import GapRecord, WaitRecord, decode_gap, decode_wait

POLICIES = GroupPolicies(GroupPolicy())
SECOND_US = 1_000_000


class RawRow(NamedTuple):
    """One record of the raw topic."""

    offset: int
    captured_at: int
    value: bytes


class Came(NamedTuple):
    """What a log came to."""

    ordered: list[OrderedRecord]
    quarantined: list[QuarantineRecord]
    waits: list[WaitRecord]
    gaps: list[GapRecord]
    state: ShardState
    membership: list[MembershipRecord]


def rows(*values: bytes) -> list[RawRow]:
    return [RawRow(offset, 1_000 + offset, value) for offset, value in enumerate(values)]


def columns(batch: list[RawRow]) -> RawRows:
    return RawRows(*map(list, zip(*batch, strict=True))) if batch else RawRows([], [], [])


def tick_at(seconds: float) -> bytes:
    return encode(tick(int(seconds * SECOND_US)))


def come_to(
    batches: list[list[RawRow]],
    *,
    policies: GroupPolicies = POLICIES,
    partition: int = 0,
    partitions: int = 1,
    maybe_warm: WarmShards | None = None,
) -> Came:
    """Order batch by batch, through the bytes of the state each time.

    With `maybe_warm` as a worker does that lives for several batches.
    """
    encoded = encode_state(ShardState(partition))
    came = Came([], [], [], [], ShardState(partition), [])
    for batch in batches:
        state, engines = (maybe_warm or WarmShards()).take("shard", encoded)
        shard = Shard(state, policies=policies, partitions=partitions, engines=engines)
        shard.receive(columns(batch))
        encoded = encode_state(shard.finish())
        if maybe_warm is not None:
            maybe_warm.keep("shard", encoded, state=state, engines=engines)
        outputs = shard.outputs
        came.ordered.extend(map(decode_ordered, outputs.ordered.values))
        came.quarantined.extend(map(decode_quarantine, outputs.quarantine.values))
        came.waits.extend(map(decode_wait, outputs.waits.values))
        came.gaps.extend(map(decode_gap, outputs.gaps.values))
        came.membership.extend(map(decode_membership, outputs.membership.values))
    return came._replace(state=decode_state(encoded))


def cut(log: list[RawRow], sizes: random.Random) -> list[list[RawRow]]:
    """Cut a log into batches of any size."""
    batches: list[list[RawRow]] = []
    while log:
        size = sizes.choice([1, 2, 7, 50, 400])
        batches.append(log[:size])
        log = log[size:]
    return batches
