"""The job on the real stack: raw topic in, ordered topic and tables out."""

from __future__ import annotations

import dataclasses
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.verification_sources import verify_sources
from deploy.local.broker import Broker
from ordering.policy import GroupPolicy
from sinks.settings import KafkaSettings
from streaming.errors import BrokerError, CheckpointError
from streaming.job import Job, check_topics
from streaming.policy import group_policy
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.topic_tools import delivered_order, expected_order, new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.spark, pytest.mark.broker]


def job_settings(directory: Path) -> JobSettings:
    return JobSettings(
        checkpoint_directory=str(directory / "checkpoint"),
        tables_directory=str(directory / "tables"),
        max_offsets_per_trigger=500,
    )


def policy() -> GroupPolicy:
    return group_policy(JobSettings())


def test_a_log_comes_to_the_order_of_the_oracle_whatever_the_batches(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    log = shuffled_conversation(seed=7, groups=6, messages=900)
    for part in (log[:100], log[100:101], log[101:]):
        produce(kafka, part)
        Job(spark, kafka=kafka, settings=settings, policy=policy()).drain()
    assert delivered_order(kafka) == expected_order(kafka)
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report
    counts = report.counts
    fates = ("delivered", "held", "duplicates", "quarantined")
    assert counts["captured"] == sum(counts[fate] for fate in fates)
    assert counts["quarantined"] > 0
    assert counts["duplicates"] > 0


def test_a_lost_history_checkpoint_adds_nothing_twice(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    produce(kafka, shuffled_conversation(seed=8, groups=2, messages=200))
    Job(spark, kafka=kafka, settings=settings, policy=policy()).drain()
    (tmp_path / "checkpoint" / "history").rename(tmp_path / "lost")
    produce(kafka, shuffled_conversation(seed=9, groups=2, messages=50)[:20])
    Job(spark, kafka=kafka, settings=settings, policy=policy()).drain()
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report


def test_a_repeated_batch_in_the_ordered_topic_adds_nothing_to_the_tables(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    """Losing the ordering checkpoint is the greatest repeat there is: everything comes again."""
    kafka = new_topics(broker.bootstrap)
    settings = job_settings(tmp_path)
    produce(kafka, shuffled_conversation(seed=10, groups=2, messages=200))
    Job(spark, kafka=kafka, settings=settings, policy=policy()).drain()
    (tmp_path / "checkpoint" / "ordering").rename(tmp_path / "lost")
    Job(spark, kafka=kafka, settings=settings, policy=policy()).drain()
    report = verify_sources(kafka, settings.tables_directory)
    assert report.ok, report
    assert report.counts["repeats"] >= 200


def test_a_missing_topic_is_one_sentence(broker: Broker) -> None:
    kafka = KafkaSettings(bootstrap=broker.bootstrap, topic_prefix="nobody-made-this")
    with pytest.raises(BrokerError, match=r"no topic nobody-made-this\.raw"):
        check_topics(kafka)


def test_another_partition_count_is_refused_with_both_numbers(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    check_topics(kafka)
    with pytest.raises(CheckpointError, match=r"has 1 partitions, kafka\.partitions is 3"):
        check_topics(dataclasses.replace(kafka, partitions=3))
