"""What a log comes to does not depend on how it was cut into batches, nor a group on its partition.

Batches of 1 and 7 are tried on the shard itself, through the bytes of its state each time; larger
ones on real Spark too, on one raw topic, where the ordered topic shows every difference.
"""

from __future__ import annotations

import random
from collections import defaultdict
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from ingest.wire.envelope import decode
from ingest.wire.errors import WireError
from ingest.wire.partition import partition_of
from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.group_policies import GroupPolicies
from sinks.kafka_client import read_topic
from sinks.records import OrderedRecord
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.ordering_udfs.shards import Came, RawRow, come_to, rows, tick_at
from tests.topic_tools import delivered_order, expected_order, new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

EVERYTHING = 1_000_000
SIZES = (1, 7, 1_000, EVERYTHING)
SECOND_US = 1_000_000


def cut(log: list[RawRow], size: int) -> list[list[RawRow]]:
    return [log[start : start + size] for start in range(0, len(log), size)]


def with_losses_and_ticks(values: list[bytes], dice: random.Random) -> list[bytes]:
    """Let some never arrive, so that others wait and are given up, while time passes."""
    log = []
    for number, value in enumerate(values):
        if dice.random() > 0.03:
            log.append(value)
        if number % 60 == 59:
            log.append(tick_at(number // 60))
    return log + [tick_at(second) for second in range(100, 130)]


@pytest.mark.parametrize("give_up", list(GiveUp))
def test_batches_of_any_size_give_the_same_records_byte_for_byte(give_up: GiveUp) -> None:
    policies = GroupPolicies(GroupPolicy(give_up=give_up, after_us=5 * SECOND_US))
    values = shuffled_conversation(seed=41, groups=5, messages=2_500)
    log = rows(*with_losses_and_ticks(values, random.Random(41)))
    came = [come_to(cut(log, size), policies=policies) for size in SIZES]
    assert came[0].waits
    assert (came[0].state.held > 0) == (give_up is GiveUp.HOLD)
    for one in came:
        one.state.groups.clear()  # a snapshot may say the same in two ways
    for other in came[1:]:
        assert other == came[0]


def in_partitions(values: list[bytes], partitions: int) -> list[Came]:
    """What each partition comes to when an agent puts the values where their groups live."""
    logs: dict[int, list[bytes]] = defaultdict(list)
    for value in values:
        try:
            logs[partition_of(decode(value).group, partitions)].append(value)
        except WireError:
            logs[0].append(value)
    return [
        come_to(cut(rows(*logs[number]), 100), partition=number, partitions=partitions)
        for number in range(partitions)
    ]


def deliveries(records: list[OrderedRecord]) -> dict[str, list[tuple[int, bytes]]]:
    """For each group, what was delivered and where."""
    found: dict[str, list[tuple[int, bytes]]] = defaultdict(list)
    for record in records:
        found[decode(record.envelope).group].append((record.position, record.envelope))
    return dict(found)


def test_one_four_and_sixteen_partitions_give_every_group_the_same_positions() -> None:
    values = shuffled_conversation(seed=42, groups=60, messages=3_000)
    values = [value for number, value in enumerate(values) if number % 23]
    came = {count: in_partitions(values, count) for count in (1, 4, 16)}
    wanted = deliveries(came[1][0].ordered)
    assert len(wanted) == 60
    assert came[1][0].state.held > 0
    for shards in came.values():
        found = deliveries([record for shard in shards for record in shard.ordered])
        assert found == wanted
        assert sum(shard.state.held for shard in shards) == came[1][0].state.held


@pytest.mark.spark
@pytest.mark.broker
def test_real_batches_of_any_size_write_the_same_records_again(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    """Each job has a checkpoint of its own, so each writes the whole topic; all must agree."""
    kafka = new_topics(broker.bootstrap)
    produce(kafka, shuffled_conversation(seed=43, groups=6, messages=2_500))
    sizes = (250, 1_000, EVERYTHING)
    for size in sizes:
        settings = JobSettings(
            checkpoint_directory=str(tmp_path / f"checkpoint-{size}"),
            tables_directory=str(tmp_path / f"tables-{size}"),
            max_messages_per_batch=size,
        )
        policies = group_policies(JobSettings())
        job = Job(spark, kafka=kafka, settings=settings, policies=policies)
        job._check_checkpoint()
        job._start_ordering({"availableNow": True}).awaitTermination()
    delivered = delivered_order(kafka)
    assert delivered == expected_order(kafka)
    written = sum(1 for _ in read_topic(kafka, kafka.topics.ordered))
    assert written == len(sizes) * sum(map(len, delivered.values()))


@pytest.mark.spark
@pytest.mark.broker
def test_real_topics_of_one_and_sixteen_partitions_deliver_the_same(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    values = shuffled_conversation(seed=44, groups=40, messages=1_500)
    found = []
    for partitions in (1, 16):
        kafka = new_topics(broker.bootstrap, partitions=partitions)
        produce(kafka, values)
        settings = JobSettings(
            checkpoint_directory=str(tmp_path / f"checkpoint-{partitions}"),
            tables_directory=str(tmp_path / f"tables-{partitions}"),
        )
        job = Job(spark, kafka=kafka, settings=settings, policies=group_policies(JobSettings()))
        job._check_checkpoint()
        job._start_ordering({"availableNow": True}).awaitTermination()
        found.append(delivered_order(kafka))
    assert found[0] == found[1]
    assert len(found[0]) == 40
