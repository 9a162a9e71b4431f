"""Today's job goes on from what an earlier release left, as if that had been today's all along."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from console.verification_sources import verify_sources
from deploy.local.broker import Broker
from ingest.wire.envelope import decode
from sinks.kafka_client import read_topic
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES
from streaming.job import Job
from streaming.policy import group_policies
from tests.ordering_udfs.shards import RawRow, come_to
from tests.streaming.kept_checkpoint import (
    PARTITIONS,
    conversation,
    kept_releases,
    kept_settings,
    load,
)
from tests.topic_tools import delivered_order, expected_order, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
@pytest.mark.broker
@pytest.mark.parametrize("release", kept_releases())
def test_a_job_goes_on_from_the_checkpoint_of_an_earlier_release(
    spark: SparkSession, broker: Broker, tmp_path: Path, release: str
) -> None:
    kafka = load(release, bootstrap=broker.bootstrap, directory=tmp_path)
    settings = kept_settings(tmp_path)
    policies = group_policies(settings)
    before = len(list(read_rows(settings.tables_directory, DELIVERIES, columns=("ordinal",))))
    _, late = conversation()
    produce(kafka, late)
    Job(spark, kafka=kafka, settings=settings, policies=policies).drain()

    delivered = delivered_order(kafka)
    assert before < sum(map(len, delivered.values()))
    oracle = expected_order(kafka)
    for group in ("group-0", "group-3"):  # the oracle knows the semantic order alone
        assert delivered[group] == oracle[group]
    today: dict[str, list[bytes]] = {}
    for partition in range(PARTITIONS):
        log = [
            RawRow(record.offset, 0, record.value)
            for record in read_topic(kafka, kafka.topics.raw)
            if record.partition == partition
        ]
        came = come_to([log], policies=policies, partition=partition, partitions=PARTITIONS)
        for record in came.ordered:
            today.setdefault(decode(record.envelope).group, []).append(record.envelope)
    assert delivered == today
    report = verify_sources(kafka, settings.tables_directory, policies=policies)
    assert report.ok, report.examples
    assert report.counts["held"] == 0, "what was held in the checkpoint has been delivered"
