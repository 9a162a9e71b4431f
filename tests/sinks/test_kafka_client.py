"""Reading topics from the real broker, and saying so when there is none."""

from __future__ import annotations

import dataclasses
import socket
from pathlib import Path

import pytest
from confluent_kafka import KafkaError, Producer

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from sinks import kafka_client
from sinks.errors import DestinationError
from sinks.kafka_client import (
    client_options,
    consumer_options,
    end_offsets,
    follow_topic,
    maybe_refusal,
    partition_count,
    producer_options,
    quiet_log,
    raw_shards,
    read_topic,
    why_refused,
)
from sinks.settings import KafkaSettings, SecurityProtocol
from tests.messages import wire
from tests.refusing_proxy import RefusingProxy
from tests.topic_tools import new_topics, produce, two_raw_topics

PATIENCE_S = 60.0


def test_a_producer_is_idempotent_and_places_groups_as_all_clients_do() -> None:
    options = producer_options(KafkaSettings())
    assert options["enable.idempotence"] is True
    assert options["acks"] == "all"
    assert options["partitioner"] == "murmur2_random"


@pytest.mark.broker
def test_what_a_partition_refuses_at_first_is_written_before_what_follows(broker: Broker) -> None:
    """With two requests on their way the first record would be gone, and reported as written."""
    kafka = new_topics(broker.bootstrap, partitions=1)
    reported: list[str] = []
    with RefusingProxy(broker.bootstrap, kafka.topics.raw) as proxy:
        options = producer_options(dataclasses.replace(kafka, bootstrap=proxy.bootstrap))
        producer = Producer(options | {"linger.ms": 0}, logger=quiet_log)
        for number, value in enumerate((b"first", b"second")):
            producer.produce(
                kafka.topics.raw, value, on_delivery=lambda error, _: reported.append(str(error))
            )
            if not number:
                assert proxy.wait_for_requests(1, within_s=PATIENCE_S)
        assert producer.flush(PATIENCE_S) == 0
    assert reported == ["None", "None"]
    assert proxy.requests > 1
    stored = [record.value for record in read_topic(kafka, kafka.topics.raw)]
    assert stored == [b"first", b"second"]


def test_a_reader_commits_nothing() -> None:
    assert consumer_options(KafkaSettings())["enable.auto.commit"] is False


def test_a_password_is_read_from_its_file_when_a_client_is_made(tmp_path: Path) -> None:
    secret = tmp_path / "password"
    secret.write_text("hush\n")
    secret.chmod(0o600)
    kafka = KafkaSettings(
        security_protocol=SecurityProtocol.SASL_SSL, username="job", password_file=secret
    )
    assert client_options(kafka)["sasl.password"] == "hush"
    assert "hush" not in repr(kafka)


@pytest.mark.broker
def test_the_shards_are_those_that_the_broker_has(broker: Broker) -> None:
    one = new_topics(broker.bootstrap, partitions=3)
    assert raw_shards(dataclasses.replace(one, partitions=2)).topics == {one.topics.raw: 3}
    two = two_raw_topics(broker.bootstrap)
    assert raw_shards(two) == two.shards
    north, south = two.shards.topics
    wrong = dataclasses.replace(two, raw_topics=(f"{north}=1", f"{south}=1"))
    with pytest.raises(DestinationError, match=rf"are {north}=2, {south}=1, and .* says {north}=1"):
        raw_shards(wrong)


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


@pytest.mark.parametrize(
    ("code", "said", "expected"),
    [
        (
            KafkaError._AUTHENTICATION,
            "sasl_ssl://h:1/bootstrap: SASL authentication error: no (after 3ms in state AUTH)",
            "the broker refuses the name or the password (SASL authentication error: no); "
            "correct kafka.username, or what stands in kafka.password_file",
        ),
        (
            KafkaError._SSL,
            "ssl://h:1/bootstrap: SSL handshake failed: no, verify that ssl.ca.location is right",
            "no TLS connection to the broker can be trusted (SSL handshake failed: no); "
            "correct kafka.ca_file, kafka.bootstrap or kafka.security_protocol",
        ),
        (KafkaError._TRANSPORT, "h:1/bootstrap: Connect to h:1 failed: Connection refused", None),
    ],
)
def test_what_an_operator_can_mend_about_a_connection_is_a_sentence(
    code: int, said: str, expected: str | None
) -> None:
    assert maybe_refusal(KafkaError(code, said)) == expected


def test_nobody_there_is_no_refusal() -> None:
    (port,) = free_ports(1)
    kafka = KafkaSettings(bootstrap=f"127.0.0.1:{port}")
    assert why_refused(client_options(kafka)) is None
    secure = KafkaSettings(bootstrap=f"127.0.0.1:{port}", security_protocol=SecurityProtocol.SSL)
    assert why_refused(client_options(secure), within_seconds=0.5) is None


def test_somebody_who_listens_and_does_not_answer_may_ask_for_tls() -> None:
    with socket.create_server(("127.0.0.1", 0)) as deaf:
        kafka = KafkaSettings(bootstrap=f"127.0.0.1:{deaf.getsockname()[1]}")
        maybe_reason = why_refused(client_options(kafka))
    assert maybe_reason is not None
    assert "set kafka.security_protocol" in maybe_reason
