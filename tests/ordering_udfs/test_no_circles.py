"""Ordering leaves nothing to the interpreter's collector, which workers hold back.

A held message and what it waits for point at each other; once both are gone they must be gone from
memory too, and so must all of a shard that a worker drops.
"""

from __future__ import annotations

import gc

import pytest

from benchmarks.timing import without_collector
from ordering.disciplines.registry import names
from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from ordering_udfs.warm_shards import WarmShards
from tests.conversations import shuffled_conversation
from tests.ordering_udfs.shards import SECOND_US, columns, rows, tick_at


@pytest.mark.parametrize("give_up", GiveUp)
@pytest.mark.parametrize("discipline", names())
def test_a_batch_leaves_no_circles_nor_does_a_shard_that_is_dropped(
    discipline: str, give_up: GiveUp
) -> None:
    sent = shuffled_conversation(seed=5, groups=3, messages=600)
    lost = [content for at, content in enumerate(sent) if at % 40]
    log = rows(*lost[:300], *(tick_at(second) for second in range(0, 120, 2)), *lost[300:])
    policies = GroupPolicies(
        GroupPolicy(discipline=discipline, give_up=give_up, after_us=5 * SECOND_US)
    )
    warm, encoded = WarmShards(), encode_state(ShardState(0))
    gc.collect()
    with without_collector():
        for batch in (log[:200], log[200:400], log[400:]):
            state, engines = warm.take(0, encoded)
            shard = Shard(state, policies=policies, partitions=1, engines=engines)
            shard.receive(columns(batch))
            encoded = encode_state(shard.finish())
            warm.keep(0, encoded, state=state, engines=engines)
            del shard, state, engines
            assert gc.collect() == 0
        warm.take(0, encode_state(ShardState(0)))
        assert gc.collect() == 0


def test_what_is_held_would_be_found_if_its_engine_were_just_dropped() -> None:
    """Planted: an engine that nobody discards."""
    log = rows(*shuffled_conversation(seed=5, groups=3, messages=600)[40:])
    gc.collect()
    with without_collector():
        state = ShardState(0)
        shard = Shard(state, policies=GroupPolicies(GroupPolicy()), partitions=1)
        shard.receive(columns(log))
        shard.finish()
        assert state.held
        del shard
        assert gc.collect() > 0
