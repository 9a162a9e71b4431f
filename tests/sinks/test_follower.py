"""A follower has the deliveries of its log, whatever it was restarted from."""

from __future__ import annotations

import time

import pytest

from deploy.local.broker import Broker
from ordering_udfs import warm_shards
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from sinks import follower as module
from sinks.errors import DestinationError
from sinks.follower import Followed, Follower
from sinks.kafka_client import client_options, read_topic
from sinks.settings import KafkaSettings
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.topic_tools import new_topics, produce, produce_ticks

pytestmark = pytest.mark.broker

POLICIES = group_policies(JobSettings())
PATIENCE_SECONDS = 60.0


def expected(kafka: KafkaSettings) -> dict[int, list[bytes]]:
    """What the shards make of the whole log at once."""
    log: dict[int, list[tuple[int, int, bytes]]] = {}
    for record in read_topic(kafka, kafka.topics.raw):
        log.setdefault(record.partition, []).append(
            (record.offset, record.written_at, record.value)
        )
    found = {}
    for partition, rows in log.items():
        shard = Shard(ShardState(partition), policies=POLICIES, partitions=kafka.partitions)
        shard.receive(RawRows(*map(list, zip(*rows, strict=True))))
        found[partition] = shard.outputs.ordered.values
    return found


def read_until(follower: Follower, count: int) -> list[Followed]:
    """Read so many deliveries; a follower that gives fewer fails here."""
    found: list[Followed] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(found) < count and time.monotonic() < deadline:
        found += follower.read(timeout=0.2)
    assert len(found) == count
    return found


def by_partition(followed: list[Followed]) -> dict[int, list[bytes]]:
    found: dict[int, list[bytes]] = {}
    for record in followed:
        found.setdefault(record.partition, []).append(record.value)
    return found


def count_of(kafka: KafkaSettings) -> int:
    return sum(map(len, expected(kafka).values()))


def test_a_follower_gives_the_records_of_the_log_across_its_own_restarts(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    # So few that it must let engines go on the way.
    monkeypatch.setattr(module, "MOST_ENGINES", 2)
    kafka = new_topics(broker.bootstrap, partitions=2)
    log = shuffled_conversation(seed=3, groups=8, messages=600)
    followed: list[Followed] = []
    states: dict[int, bytes] = {}
    for start in range(0, len(log), 200):
        produce(kafka, log[start : start + 200])
        produce_ticks(kafka, at=2**51 + start)
        with Follower(kafka, policies=POLICIES, states=states) as follower:
            followed += read_until(follower, count_of(kafka) - len(followed))
            states = follower.states()
    assert by_partition(followed) == expected(kafka)
    assert warm_shards.MOST_ENGINES > 2


def test_a_state_that_the_log_no_longer_reaches_back_to_is_refused(broker: Broker) -> None:
    from confluent_kafka import TopicPartition
    from confluent_kafka.admin import AdminClient

    kafka = new_topics(broker.bootstrap, partitions=1)
    produce(kafka, shuffled_conversation(seed=1, groups=1, messages=30))
    end = TopicPartition(kafka.topics.raw, 0, 20)
    admin = AdminClient(client_options(kafka))  # its answers come only while it lives
    for future in admin.delete_records([end]).values():
        future.result(PATIENCE_SECONDS)
    early = encode_state(ShardState(0, through_offset=4))
    with pytest.raises(DestinationError, match="begins at offset 20 in partition 0"):
        Follower(kafka, policies=POLICIES, states={0: early})
