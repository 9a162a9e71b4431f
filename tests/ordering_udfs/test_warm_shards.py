"""A kept shard is used only if Spark brings the very bytes that it stands for."""

from __future__ import annotations

import random

import pytest

from ordering_udfs import warm_shards
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from ordering_udfs.warm_shards import WarmShards
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.ordering_udfs.shards import POLICIES, RawRow, columns, come_to, cut, rows


def batch(
    warm: WarmShards, encoded: bytes, log: list[RawRow], *, name: object = 0
) -> tuple[bytes, list[bytes]]:
    """One batch, as the host runs it."""
    state, engines = warm.take(name, encoded)
    shard = Shard(state, policies=POLICIES, partitions=1, engines=engines)
    shard.receive(columns(log))
    after = encode_state(shard.finish())
    warm.keep(name, after, state=state, engines=engines)
    return after, shard.outputs.ordered.values


@pytest.mark.parametrize("seed", range(3))
def test_a_worker_that_keeps_shards_gives_the_same_records(seed: int) -> None:
    log = rows(*shuffled_conversation(seed=seed, groups=3, messages=400))
    batches = cut(log, random.Random(seed))
    warm, cold = come_to(batches, maybe_warm=WarmShards()), come_to(batches)
    assert warm[:4] == cold[:4]


def test_the_same_bytes_again_are_not_decoded() -> None:
    warm = WarmShards()
    after, _ = batch(warm, encode_state(ShardState(0)), rows(wire("a", 1)))
    _, engines = warm.take(0, after)
    assert list(engines) == ["g"]


def test_a_batch_that_is_tried_again_begins_where_its_bytes_say() -> None:
    warm, log = WarmShards(), rows(wire("a", 1), wire("b", 1, ("a", 1)), wire("a", 2))
    before, _ = batch(warm, encode_state(ShardState(0)), log[:1])
    first = batch(warm, before, log[1:])
    assert batch(warm, before, log[1:]) == first


def test_a_kept_shard_that_is_not_what_the_bytes_say_is_dropped() -> None:
    """Planted: another worker took two batches meanwhile."""
    warm, other, log = WarmShards(), WarmShards(), rows(*(wire("a", seq) for seq in range(1, 5)))
    encoded, _ = batch(warm, encode_state(ShardState(0)), log[:1])
    for at in (1, 2):
        encoded, _ = batch(other, encoded, log[at : at + 1])
    expected = batch(WarmShards(), encoded, log[3:])
    assert batch(warm, encoded, log[3:]) == expected


def test_a_shard_that_failed_halfway_is_not_found_again() -> None:
    warm = WarmShards()
    before, _ = batch(warm, encode_state(ShardState(0)), rows(wire("a", 1)))
    state, engines = warm.take(0, before)
    Shard(state, policies=POLICIES, partitions=1, engines=engines).receive(
        columns([RawRow(1, 0, wire("a", 2))])
    )
    # It died here, so nothing was kept; the batch is tried again with the bytes from before it.
    _, values = batch(warm, before, [RawRow(1, 0, wire("a", 2))])
    assert len(values) == 1


def test_what_is_kept_has_bounds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(warm_shards, "MOST_SHARDS", 2)
    monkeypatch.setattr(warm_shards, "MOST_ENGINES", 3)
    warm, empty = WarmShards(), encode_state(ShardState(0))
    log = rows(*(wire("a", 1, group=f"g{number}") for number in range(5)))
    ends = [batch(warm, empty, log, name=name)[0] for name in range(3)]
    assert [len(warm.take(name, ends[name])[1]) for name in range(3)] == [0, 3, 3]
    last, _ = batch(WarmShards(), empty, log)
    assert last == ends[0]
