"""`precede policy` puts a change into the log that the shard takes."""

from __future__ import annotations

import pytest

from console.command import run
from console.commands.policy import write_change
from console.errors import ExitCode
from console.terminal import terminal_of_process
from deploy.local.broker import Broker
from ingest.wire.envelope import decode
from ingest.wire.partition import partition_of
from ordering_udfs.control import read_policy_change
from sinks.kafka_client import read_topic
from tests.topic_tools import new_topics


def test_a_policy_that_cannot_be_read_is_refused_before_anything_is_written(
    capsys: pytest.CaptureFixture[str],
) -> None:
    code = run(["policy", "floor", "fifa"], terminal=terminal_of_process({}))
    assert code == ExitCode.CONFIGURATION
    assert "choose one of none, fifo" in capsys.readouterr().err


@pytest.mark.broker
def test_the_record_stands_in_the_groups_partition(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    topic, partition, offset = write_change(kafka, "floor.7", "fifo", topic=kafka.topics.raw)
    (record,) = read_topic(kafka, topic)
    envelope = decode(record.value)
    assert (record.partition, record.offset) == (partition, offset)
    assert partition == partition_of(envelope.group, kafka.partitions)
    assert (envelope.group, read_policy_change(envelope.payload)) == ("floor.7", "fifo")
