"""`precede inspect` on the checkpoint of a real job."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from sinks.kafka_client import read_topic
from sinks.records import decode_counters
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.console.shop import precede
from tests.conversations import shuffled_conversation
from tests.messages import wire
from tests.topic_tools import new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession


@pytest.mark.spark
@pytest.mark.broker
def test_a_real_checkpoint_says_what_the_job_counted(
    spark: SparkSession, broker: Broker, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = JobSettings(
        checkpoint_directory=str(tmp_path / "checkpoint"),
        tables_directory=str(tmp_path / "tables"),
        max_messages_per_batch=200,
    )
    produce(kafka, shuffled_conversation(seed=11, groups=5, messages=500))
    produce(kafka, [wire("late", 2, ("nobody", 1), group="group-1")])
    Job(spark, kafka=kafka, settings=settings, policies=group_policies(settings)).drain()
    counted = {
        counters.partition: counters
        for record in read_topic(kafka, kafka.topics.counters)
        for counters in [decode_counters(record.value)]
    }
    arguments = ("inspect", "--checkpoint", settings.checkpoint_directory)
    said = precede(capsys, *arguments, "--output", "json")
    assert said.code == 0, said.progress
    result = json.loads(said.out)
    assert result["manifest"]["raw_topics"] == {kafka.topics.raw: kafka.partitions}
    assert {row["partition"] for row in result["partitions"]} == set(counted)
    for row in result["partitions"]:
        counters = counted[row["partition"]]
        for name in ("through_offset", "captured", "delivered", "held", "duplicates"):
            assert row[name] == getattr(counters, name)
    held = {row["group"]: row["missing"] for row in result["groups"] if row["held"]}
    assert "nobody#1:1" in held["group-1"]
    table = precede(capsys, *arguments, "--group", "group-1")
    assert kafka.topics.raw in table.lines[0]
    assert any(line.startswith("group-1 ") for line in table.lines)
