"""Idle groups: how many bytes of state does a group cost that has nothing more to say?

A million messages of five members, delivered in order, and then an hour of silence, in which the
window of recent deliveries expires. What is left is what the job keeps for that group for ever.
"""

from __future__ import annotations

from typing import Final

from benchmarks.arrivals import in_order
from benchmarks.contestants import EngineRun
from benchmarks.decoding import batches
from ordering.policy import HOUR_US, GroupPolicy
from ordering_udfs.shard_state import encode_snapshot

SILENCE_US: Final = HOUR_US


def idle_group_snapshot_bytes(count: int) -> int:
    """Measure the encoded snapshot of a group that delivered `count` messages and fell silent."""
    run = EngineRun(GroupPolicy())
    run.take(batches(in_order(count)))
    run.engine.advance(run.now + SILENCE_US)
    return len(encode_snapshot(run.engine.snapshot()))
