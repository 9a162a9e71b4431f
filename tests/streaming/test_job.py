"""The job on the real stack: raw topic in, ordered topic and tables out."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from confluent_kafka import TopicPartition

from console.verification_sources import verify_sources
from deploy.local.broker import Broker
from ingest.wire.envelope import Kind, decode, encode
from ingest.wire.management import Join, Leave, encode_management
from ordering_udfs.group_policies import GroupPolicies
from sinks.cloud_events import OF_EACH, SAME_FOR_ALL, OrderedFormat, cloud_event, envelope_form
from sinks.kafka_client import open_reader, partitions_of, read_topic
from sinks.settings import KafkaSettings
from sinks.views import create_views
from sinks.waits import decode_gap
from streaming.errors import BrokerError, CheckpointError
from streaming.job import ORDERING, Job, check_topics
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.topic_tools import (
    alone,
    delivered_order,
    expected_order,
    new_topics,
    produce,
    produce_packed,
    produce_ticks,
    two_raw_topics,
)

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]

FAR_AHEAD = 2**51
"""A tick's time that is later than the broker's: the log's time begins with the first record."""


def job_settings(directory: Path) -> JobSettings:
    return JobSettings(
        checkpoint_directory=str(directory / "checkpoint"),
        tables_directory=str(directory / "tables"),
        max_messages_per_batch=500,
    )


def policies() -> GroupPolicies:
    return group_policies(JobSettings())


def test_a_log_comes_to_the_order_of_the_oracle_whatever_the_batches_and_the_format(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    log = shuffled_conversation(seed=7, groups=6, messages=900)
    for place, body in ((3, Join()), (300, Leave()), (800, Join())):
        envelope = decode(next(one for one in log if b"group-3" in one))
        told = envelope._replace(kind=Kind.GROUP_MANAGEMENT, payload=encode_management(body))
        log.insert(place, encode(told))
    for part, entries in ((log[:100], 1), (log[100:101], 1), (log[101:500], 7), (log[500:], 1)):
        if entries > 1:
            produce_packed(kafka, part, entries=entries)
            settings = dataclasses.replace(settings, ordered_format=OrderedFormat.CLOUDEVENTS)
        else:
            produce(kafka, part)
        Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    assert delivered_order(kafka) == expected_order(kafka)
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report
    counts = report.counts
    fates = ("delivered", "held", "duplicates", "quarantined", "membership")
    assert counts["captured"] == sum(counts[fate] for fate in fates)
    assert counts["quarantined"] > 0
    assert counts["duplicates"] > 0
    assert counts["membership"] == 3


def test_packed_records_are_caught_up_on_in_batches_of_so_many_messages(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = dataclasses.replace(job_settings(tmp_path), max_messages_per_batch=100)
    produce_packed(kafka, shuffled_conversation(seed=31, groups=4, messages=400), entries=50)
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    assert delivered_order(kafka) == expected_order(kafka)
    commits = Path(settings.checkpoint_directory, ORDERING, "commits")
    assert sum(file.name.isdecimal() for file in commits.iterdir()) >= 4


def test_each_cloud_event_has_the_headers_of_its_record(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = dataclasses.replace(job_settings(tmp_path), ordered_format=OrderedFormat.CLOUDEVENTS)
    produce(
        kafka,
        [
            wire("a", 1),
            wire("b", 1, ("a", 1)),
            wire("a", 1, group="team/one"),
            wire("c", 1, ("a", 1), ("b", 1)),
        ],
    )
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    consumer, topic = open_reader(kafka), kafka.topics.ordered
    places = partitions_of(consumer, kafka, topic)
    consumer.assign([TopicPartition(topic, place, 0) for place in places])
    events: list[Any] = [maybe for _ in range(4) if (maybe := consumer.poll(30)) is not None]
    consumer.close()
    assert len(events) == 4
    for event in events:
        found = dict(event.headers())
        whole = envelope_form(event.value(), found)
        expected = cloud_event(event.key(), whole, raw_topic=kafka.topics.raw)
        headers = SAME_FOR_ALL | dict(zip(OF_EACH, expected.headers, strict=True))
        assert found == {name: value for name, value in headers.items() if value is not None}
        assert event.value() == expected.value != whole


def test_whoever_waits_when_a_tick_passes_stands_in_the_table_until_it_is_delivered(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    produce(kafka, [wire("b", 1, ("a", 1)), wire("c", 1, ("x", 9)), wire("d", 1)])
    produce_ticks(kafka, at=FAR_AHEAD)
    produce(kafka, [wire("a", 1)])
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    create_views(spark, settings.tables_directory)
    pending = spark.sql("SELECT id, waiting_for, waiting_for_the_same FROM pending").collect()
    assert [tuple(row) for row in pending] == [("c#1:1", "x#1:9", 1)]
    told = spark.sql("SELECT id, status FROM waits ORDER BY ordinal").collect()
    assert [tuple(row) for row in told] == [
        ("b#1:1", "held"),
        ("c#1:1", "held"),
        ("b#1:1", "delivered"),
    ]
    gaps = [decode_gap(record.value) for record in read_topic(kafka, kafka.topics.gaps)]
    assert [(gap.sought.waiting_for, gap.status.value) for gap in gaps] == [
        ("a#1:1", "open"),
        ("x#1:9", "open"),
        ("a#1:1", "closed"),
    ]
    assert verify_sources(kafka, settings.tables_directory).ok


def test_a_lost_history_checkpoint_adds_nothing_twice(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    produce(kafka, shuffled_conversation(seed=8, groups=2, messages=200))
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    (tmp_path / "checkpoint" / "history").rename(tmp_path / "lost")
    produce(kafka, shuffled_conversation(seed=9, groups=2, messages=50)[:20])
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report


def test_a_repeated_batch_in_the_ordered_topic_adds_nothing_to_the_tables(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    """Losing the ordering checkpoint is the greatest repeat there is: everything comes again."""
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    produce(kafka, shuffled_conversation(seed=10, groups=2, messages=200))
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    (tmp_path / "checkpoint" / "ordering").rename(tmp_path / "lost")
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report
    assert report.counts["repeats"] >= 200


def test_several_raw_topics_are_ordered_side_by_side_each_partition_a_shard(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = two_raw_topics(broker.bootstrap)
    check_topics(kafka)
    settings = job_settings(tmp_path)
    expected: dict[str, list[bytes]] = {}
    for seed, topic in enumerate(kafka.shards.topics, start=61):
        name = topic.rpartition(".")[2].encode()
        conversation = shuffled_conversation(seed=seed, groups=3, messages=200)
        produce(alone(kafka, topic), [value.replace(b"group", name) for value in conversation])
        expected |= expected_order(alone(kafka, topic))
    Job(spark, kafka=kafka, settings=settings, policies=policies()).drain()
    assert delivered_order(kafka) == expected
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report
    shards = spark.read.format("delta").load(f"{settings.tables_directory}/deliveries")
    found = {row[0] for row in shards.select("raw_partition").distinct().collect()}
    assert found == {0, 1, 2}


def test_a_missing_topic_is_one_sentence(broker: Broker) -> None:
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix="nobody-made-this")
    with pytest.raises(BrokerError, match=r"no topic nobody-made-this\.raw"):
        check_topics(kafka)


def test_another_partition_count_is_refused_with_both_numbers(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    check_topics(kafka)
    with pytest.raises(CheckpointError, match=r"has 1 partitions, kafka\.partitions is 3"):
        check_topics(dataclasses.replace(kafka, partitions=3))
