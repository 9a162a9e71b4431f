"""What a broker is asked is answered, whatever happens to it meanwhile, or a sentence says why."""

from __future__ import annotations

import dataclasses
import random
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from confluent_kafka import TopicPartition

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from deploy.local.topics import admin_client
from sinks import protocol_client
from sinks.batch_writing import Records, write_batches
from sinks.errors import DestinationError
from sinks.kafka_client import read_topic
from sinks.protocol_client import (
    FETCHED_BYTES,
    Partition,
    ProtocolClient,
    TooLargeError,
    connection_options,
)
from sinks.settings import KafkaSettings, SecurityProtocol
from tests.refusing_proxy import RefusingProxy
from tests.secure_broker import running_secure_broker
from tests.sinks.record_bytes import read_by_client
from tests.topic_tools import new_topics

PATIENCE_S = 30.0


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that a test may stop without harm to the tests of others; it would make topics."""
    extra = {"auto.create.topics.enable": "true"}
    with Broker(tmp_path_factory.mktemp("lone"), extra=extra) as running:
        yield running


def batch_of(*values: bytes) -> bytes:
    (batch,) = write_batches(Records([b"key"] * len(values), values, None), at_ms=1_000)
    return batch.content


def values_from(client: ProtocolClient, partition: Partition, offset: int = 0) -> list[bytes]:
    found = read_by_client(client.fetch(partition, offset))
    return [record.value or b"" for record in found if record.offset >= offset]


def stored(kafka: KafkaSettings, topic: str) -> list[bytes]:
    return [record.value for record in read_topic(kafka, topic)]


def test_the_password_reaches_the_client_and_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "password"
    file.write_text("secret!\n", encoding="utf-8")
    file.chmod(0o600)
    kafka = KafkaSettings(
        bootstrap="a:1,b:2",
        security_protocol=SecurityProtocol.SASL_SSL,
        username="edge",
        password_file=file,
    )
    options = connection_options(kafka)
    assert options["bootstrap_servers"] == ["a:1", "b:2"]
    assert options["security_protocol"] == "SASL_SSL"
    assert (options["sasl_plain_username"], options["sasl_plain_password"]) == ("edge", "secret!")
    assert "secret!" not in repr(kafka)
    assert "sasl_plain_password" not in connection_options(KafkaSettings())


@pytest.mark.broker
def test_what_was_written_is_fetched_from_any_offset(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    here, there = (Partition(kafka.topics.raw, number) for number in (0, 1))
    with closing(ProtocolClient(kafka)) as client:
        assert client.end_offsets([here, there]) == {here: 0, there: 0}
        assert client.fetch(here, 0) == b""
        client.produce(here, batch_of(b"one", b"two"))
        client.produce(here, batch_of(b"three"))
        client.produce(there, batch_of(b"beside"))
        ordered = Partition(kafka.topics.ordered, 1)
        assert client.end_offsets([here, there, ordered]) == {here: 3, there: 1, ordered: 0}
        assert client.first_offsets([here]) == {here: 0}
        assert client.end_offsets([]) == {}
        assert values_from(client, here) == [b"one", b"two", b"three"]
        assert values_from(client, here, 1) == [b"two", b"three"]
        assert client.fetch(here, 3) == b""


@pytest.mark.broker
def test_a_batch_that_is_larger_than_an_answer_comes_whole(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    written = [b"before", random.Random(1).randbytes(FETCHED_BYTES * 3 // 2), b"behind"]
    here = Partition(kafka.topics.raw, 0)
    with closing(ProtocolClient(kafka)) as client:
        for value in written:
            client.produce(here, batch_of(value))
        values: list[bytes] = []
        while len(values) < len(written):
            values += values_from(client, here, len(values))
    assert values == written


@pytest.mark.broker
def test_an_offset_that_a_partition_has_not_is_no_offset(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    here = Partition(kafka.topics.raw, 0)
    with closing(ProtocolClient(kafka)) as client:
        client.produce(here, batch_of(b"one", b"two", b"three"))
        with pytest.raises(LookupError, match="has no offset 4"):
            client.fetch(here, 4)
        admin = admin_client(broker.bootstrap)
        for future in admin.delete_records([TopicPartition(here.topic, 0, 2)]).values():
            future.result(PATIENCE_S)
        assert client.first_offsets([here]) == {here: 2}
        with pytest.raises(LookupError, match="has no offset 1"):
            client.fetch(here, 1)
        assert values_from(client, here, 2) == [b"three"]


@pytest.mark.broker
def test_a_batch_that_a_topic_does_not_take_is_told_from_all_other_errors(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    here = Partition(kafka.topics.raw, 0)
    with closing(ProtocolClient(kafka)) as client:
        with pytest.raises(TooLargeError):
            client.produce(here, batch_of(random.Random(1).randbytes(3_000_000)))
        with pytest.raises(DestinationError, match=f"refuses partition 0 of {here.topic}: Corrupt"):
            client.produce(here, batch_of(b"one")[:-1] + b"x")
        assert client.end_offsets([here]) == {here: 0}


@pytest.mark.broker
def test_what_is_refused_for_a_moment_is_sent_again_and_the_rest_done_once(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    done: list[str] = []
    with RefusingProxy(broker.bootstrap, kafka.topics.raw) as proxy:
        there = dataclasses.replace(kafka, bootstrap=proxy.bootstrap)
        with closing(ProtocolClient(there)) as client:
            here = Partition(kafka.topics.raw, 0)
            client.produce(here, batch_of(b"one"), meanwhile=lambda: done.append("once"))
            client.produce(here, batch_of(b"two"))
        assert proxy.requests == 3
    assert done == ["once"]
    assert stored(kafka, kafka.topics.raw) == [b"one", b"two"]


@pytest.mark.broker
def test_the_request_is_on_its_way_while_something_else_is_done(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    here = Partition(kafka.topics.raw, 0)
    found: list[list[bytes]] = []

    def look() -> None:
        deadline = time.monotonic() + PATIENCE_S
        while not found or (not found[-1] and time.monotonic() < deadline):
            found.append(stored(kafka, here.topic))

    with closing(ProtocolClient(kafka)) as client:
        client.end_offsets([here])
        client.produce(here, batch_of(b"one"), meanwhile=look)
    assert found[-1] == [b"one"]


def test_no_broker_is_one_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_client, "PATIENCE_SECONDS", 0.5)
    (port,) = free_ports(1)
    here = Partition("any", 0)
    with closing(ProtocolClient(KafkaSettings(bootstrap=f"127.0.0.1:{port}"))) as client:
        for ask in (
            lambda: client.fetch(here, 0),
            lambda: client.produce(here, batch_of(b"one")),
            lambda: client.end_offsets([here]),
        ):
            with pytest.raises(DestinationError, match=f"no broker answers at 127.0.0.1:{port}"):
                ask()


@pytest.mark.broker
def test_a_topic_or_a_partition_that_is_not_there_is_one_sentence_and_is_not_made(
    lone: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol_client, "PATIENCE_SECONDS", 1.0)
    kafka = new_topics(lone.bootstrap, partitions=1)
    with closing(ProtocolClient(kafka)) as client:
        for missing in (Partition("nowhere", 0), Partition(kafka.topics.raw, 7)):
            said = f"does not give partition {missing.partition} of {missing.topic}: .*topic_prefix"
            with pytest.raises(DestinationError, match=said):
                client.fetch(missing, 0)
            with pytest.raises(DestinationError, match=said):
                client.produce(missing, batch_of(b"one"))
        client.produce(Partition(kafka.topics.raw, 0), batch_of(b"one"))
    assert "nowhere" not in admin_client(lone.bootstrap).list_topics(timeout=PATIENCE_S).topics


@pytest.mark.broker
def test_a_broker_that_is_started_anew_is_found_again(lone: Broker) -> None:
    kafka = new_topics(lone.bootstrap, partitions=1)
    here = Partition(kafka.topics.raw, 0)
    with closing(ProtocolClient(kafka)) as client:
        client.produce(here, batch_of(b"one"))
        lone.restart()
        client.produce(here, batch_of(b"two"))
        assert values_from(client, here) == [b"one", b"two"]


@pytest.mark.broker
def test_a_broker_that_does_not_answer_is_one_sentence_and_may_go_on_later(
    lone: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    kafka = new_topics(lone.bootstrap, partitions=1)
    here = Partition(kafka.topics.raw, 0)
    with closing(ProtocolClient(kafka)) as client:
        client.produce(here, batch_of(b"one"))
        with monkeypatch.context() as patch:
            patch.setattr(protocol_client, "PATIENCE_SECONDS", 1.0)
            lone.pause()
            try:
                for _ in range(2):
                    with pytest.raises(DestinationError, match="listens there and does not answer"):
                        client.fetch(here, 0)
            finally:
                lone.resume()
        assert values_from(client, here) == [b"one"]


@pytest.mark.broker
def test_a_client_that_was_closed_connects_anew(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    here = Partition(kafka.topics.raw, 0)
    client = ProtocolClient(kafka)
    client.close()
    for _ in range(2):
        assert client.end_offsets([here]) == {here: 0}
        client.close()


@pytest.mark.broker
def test_a_broker_that_lets_nobody_in_without_a_password_is_read_with_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(protocol_client, "PATIENCE_SECONDS", 5.0)
    with running_secure_broker(tmp_path) as secure:
        kafka = secure.topics()
        here = Partition(kafka.topics.raw, 0)
        with closing(ProtocolClient(kafka)) as client:
            client.produce(here, batch_of(b"one"))
            assert values_from(client, here) == [b"one"]
        stranger = dataclasses.replace(kafka, username="stranger")
        with (
            closing(ProtocolClient(stranger)) as client,
            pytest.raises(DestinationError, match="refuses the name or the password"),
        ):
            client.fetch(here, 0)
