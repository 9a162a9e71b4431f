"""Hostile records end in quarantine with a reason, and nobody else is delayed by them."""

from __future__ import annotations

import random
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from confluent_kafka import Producer

from deploy.local.broker import Broker
from ingest.wire.bounds import PAYLOAD_BYTES
from ingest.wire.envelope import decode
from ordering.events import Reason
from sinks.kafka_client import producer_options, read_topic
from sinks.records import decode_quarantine
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.end_to_end.hostile import NOT_FROM_THE_WIRE, attacks, policies, ticks
from tests.messages import wire
from tests.ordering_udfs.shards import Came, come_to, cut, rows
from tests.topic_tools import delivered_order, new_topics

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

RAW_RECORD_BYTES = 2 * 1024 * 1024 - 1_000
"""Just within what the raw topic takes."""


def come(values: list[bytes], *, seed: int) -> Came:
    return come_to(cut(rows(*values), random.Random(seed)), policies=policies())


def test_every_reason_of_the_engine_is_attacked_or_cannot_come_from_the_wire() -> None:
    assert attacks().keys() | NOT_FROM_THE_WIRE.keys() == set(Reason)


@pytest.mark.parametrize("reason", list(attacks()))
def test_an_attack_ends_in_quarantine_with_its_reason(reason: Reason) -> None:
    *first, last = attacks()[reason]
    came = come([*first, *ticks(1, 20), last, *ticks(20, 40)], seed=1)
    assert {record.reason for record in came.quarantined} == {reason.value}
    state = came.state
    assert state.captured == len(attacks()[reason])
    assert state.captured == state.delivered + state.held + state.duplicates + state.quarantined


def test_all_attacks_at_once_change_nothing_for_an_honest_group() -> None:
    honest = shuffled_conversation(seed=51, groups=3, messages=300)
    hostile = [record for records in attacks().values() for record in records]
    mixed = []
    for number, record in enumerate(honest):
        mixed += [hostile[number % len(hostile)], record]
    alone = come(honest, seed=2)
    among = come(mixed, seed=2)
    honest_groups = {decode(record.envelope).group for record in alone.ordered}
    assert [
        (record.position, record.envelope)
        for record in among.ordered
        if decode(record.envelope).group in honest_groups
    ] == [(record.position, record.envelope) for record in alone.ordered]


@pytest.mark.spark
@pytest.mark.broker
def test_the_largest_payload_is_delivered_and_the_largest_record_cannot_stop_the_job(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    first = wire("a", 1, payload=random.Random(52).randbytes(PAYLOAD_BYTES))
    junk = random.Random(53).randbytes(RAW_RECORD_BYTES)
    answer = wire("b", 1, ("a", 1))
    producer = Producer(producer_options(kafka) | {"message.max.bytes": 4 << 20})
    for value in (answer, junk, first):
        producer.produce(kafka.topics.raw, value=value, key=b"g")
    assert producer.flush(30) == 0
    settings = JobSettings(
        checkpoint_directory=str(tmp_path / "checkpoint"),
        tables_directory=str(tmp_path / "tables"),
    )
    Job(spark, kafka=kafka, settings=settings, policies=group_policies(settings)).drain()
    assert delivered_order(kafka) == {"g": [first, answer]}
    (refused,) = read_topic(kafka, kafka.topics.quarantine)
    assert decode_quarantine(refused.value).captured == junk
