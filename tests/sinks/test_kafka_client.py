"""Reading topics from the real broker, and saying so when there is none."""

from __future__ import annotations

from pathlib import Path

import pytest

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from sinks import kafka_client
from sinks.errors import DestinationError
from sinks.kafka_client import (
    client_options,
    consumer_options,
    end_offsets,
    follow_topic,
    partition_count,
    producer_options,
    read_topic,
)
from sinks.settings import KafkaSettings, SecurityProtocol
from tests.messages import wire
from tests.topic_tools import new_topics, produce


def test_a_producer_is_idempotent_and_places_groups_as_all_clients_do() -> None:
    options = producer_options(KafkaSettings())
    assert options["enable.idempotence"] is True
    assert options["acks"] == "all"
    assert options["partitioner"] == "murmur2_random"


def test_a_reader_commits_nothing() -> None:
    assert consumer_options(KafkaSettings())["enable.auto.commit"] is False


def test_a_password_is_read_from_its_file_when_a_client_is_made(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hush\n")
    kafka = KafkaSettings(
        security_protocol=SecurityProtocol.SASL_SSL, username="job", password_file=secret
    )
    assert client_options(kafka)["sasl.password"] == "hush"
    assert "hush" not in repr(kafka)


@pytest.mark.broker
def test_a_topic_is_read_whole_and_in_offset_order(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    topic = kafka.topics.raw
    written = [wire("a", seq, group=f"group-{seq % 5}") for seq in range(1, 2_001)]
    produce(kafka, written)
    records = list(read_topic(kafka, topic))
    assert sorted(record.value for record in records) == sorted(written)
    for partition, end in end_offsets(kafka, topic).items():
        offsets = [record.offset for record in records if record.partition == partition]
        assert offsets == list(range(end))
    assert partition_count(kafka, topic) == 2


@pytest.mark.broker
def test_an_empty_topic_reads_as_nothing(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    assert list(read_topic(kafka, kafka.topics.ordered)) == []


@pytest.mark.broker
def test_following_gives_what_is_there_and_what_comes(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    topic = kafka.topics.raw
    produce(kafka, [wire("a", 1)])
    seen: list[bytes] = []

    def is_over() -> bool:
        return len(seen) == 2

    for records in follow_topic(kafka, topic, is_over=is_over):
        if not seen and records:
            produce(kafka, [wire("a", 2)])
        seen += [record.value for record in records]
    assert seen == [wire("a", 1), wire("a", 2)]


@pytest.mark.broker
def test_a_topic_that_is_not_there_is_one_sentence(broker: Broker) -> None:
    kafka = KafkaSettings(bootstrap=broker.bootstrap)
    with pytest.raises(DestinationError, match="has no topic nothing"):
        partition_count(kafka, "nothing")


def test_no_broker_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(kafka_client, "BROKER_PATIENCE_SECONDS", 0.5)
    (port,) = free_ports(1)
    kafka = KafkaSettings(bootstrap=f"127.0.0.1:{port}")
    with pytest.raises(DestinationError, match=f"no broker answers at 127.0.0.1:{port}"):
        list(read_topic(kafka, "any"))
