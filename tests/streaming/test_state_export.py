"""The job's state, taken out of its checkpoint, is where a follower can begin."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from ordering_udfs.shard_state import decode_state
from sinks.decoding import delivery_row
from sinks.follower import Followed, Follower
from sinks.kafka_client import end_offsets, read_topic
from sinks.state_files import read_states, write_states
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from streaming.state_export import job_states
from tests.conversations import shuffled_conversation
from tests.sinks.test_follower import by_partition, count_of, read_until
from tests.topic_tools import new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]

COLUMNS = ("raw_partition", "ordinal", "group", "position", "id", "payload", "raw_offset")


def as_in_the_table(record: Followed) -> tuple[object, ...]:
    row = delivery_row(record.key, record.value)
    return tuple([row[name] for name in COLUMNS])


def test_a_follower_has_the_tables_sequence_across_restarts_of_either_side(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = JobSettings(
        checkpoint_directory=str(tmp_path / "checkpoint"),
        tables_directory=str(tmp_path / "tables"),
        max_messages_per_batch=150,
    )
    policies = group_policies(settings)
    log = shuffled_conversation(seed=5, groups=4, messages=500)
    produce(kafka, log[:200])
    Job(spark, kafka=kafka, settings=settings, policies=policies).drain()
    write_states(tmp_path / "states", job_states(spark, settings))
    states = read_states(tmp_path / "states")
    assert {number: decode_state(one).through_offset + 1 for number, one in states.items()} == {
        number: end for number, end in end_offsets(kafka, kafka.topics.raw).items() if end
    }
    before = count_of(kafka)
    produce(kafka, log[200:350])
    with Follower(kafka, policies=policies, states=states) as follower:
        followed = read_until(follower, count_of(kafka) - before)
        states = follower.states()
    produce(kafka, log[350:])
    Job(spark, kafka=kafka, settings=settings, policies=policies).drain()
    with Follower(kafka, policies=policies, states=states) as follower:
        followed += read_until(follower, count_of(kafka) - before - len(followed))
    with Follower(kafka, policies=policies) as follower:
        whole = read_until(follower, count_of(kafka))
    topic: dict[int, list[bytes]] = {}
    for record in read_topic(kafka, kafka.topics.ordered):
        topic.setdefault(record.partition, []).append(record.value)
    assert by_partition(whole) == topic
    for number, values in by_partition(followed).items():
        assert values == topic[number][-len(values) :]
    table = sorted(read_rows(settings.tables_directory, DELIVERIES, columns=COLUMNS))
    assert sorted(map(as_in_the_table, whole)) == table
