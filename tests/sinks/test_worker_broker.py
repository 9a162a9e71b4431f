"""A worker has one connection, which lasts until something fails, and is then made anew."""

from __future__ import annotations

import dataclasses

import pytest

from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from sinks import protocol_client, worker_broker
from sinks.batch_writing import header_block
from sinks.errors import DestinationError
from sinks.kafka_client import read_topic
from sinks.protocol_client import ProtocolClient
from sinks.settings import KafkaSettings
from sinks.shards import Place
from sinks.worker_broker import WorkerBroker
from tests.sinks.record_bytes import joined
from tests.topic_tools import new_topics, produce_to


@pytest.fixture(autouse=True)
def _fresh(monkeypatch: pytest.MonkeyPatch) -> None:
    """Begin without a connection, as a worker does."""
    monkeypatch.setattr(worker_broker, "_open", {})


def connection() -> ProtocolClient:
    (client,) = worker_broker._open.values()
    return client


@pytest.mark.broker
def test_what_is_written_can_be_read_through_one_connection(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    worker = WorkerBroker(kafka)
    worker.write(kafka.topics.raw, 0, [b"a", b"b"], [b"one", b"two"])
    first = connection()
    blocks = [header_block([(b"name", b"value")]), header_block([])]
    worker.write(kafka.topics.raw, 0, [b"c", b"d"], [b"three", b"four"], blocks)
    piece = joined(worker.read(Place(kafka.topics.raw, 0, 1), start=1, end=4))
    assert piece.offsets == [1, 2, 3]
    assert piece.values == [b"two", b"three", b"four"]
    (whole,) = worker.read_whole(Place(kafka.topics.raw, 0, 1), start=1, end=4)
    keys = [key.as_py() for array in whole.keys for key in array]
    assert keys == [b"b", b"c", b"d"]
    assert connection() is first
    assert [record.key for record in read_topic(kafka, kafka.topics.raw)] == [b"a", *keys]
    first.close()


@pytest.mark.broker
def test_an_error_ends_the_connection_and_the_next_use_makes_another(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    worker = WorkerBroker(kafka)
    place = Place(kafka.topics.raw, 0, 1)
    produce_to(kafka, kafka.topics.raw, [(b"", b"one")])
    assert joined(worker.read(place, start=0, end=1)).values == [b"one"]
    first = connection()
    with pytest.raises(DestinationError, match="was the raw topic deleted"):
        joined(worker.read(place, start=7, end=8))
    assert not worker_broker._open
    assert first._maybe_manager is None
    assert joined(worker.read(place, start=0, end=1)).values == [b"one"]
    assert connection() is not first
    monkeypatch.setattr(protocol_client, "PATIENCE_SECONDS", 0.5)
    with pytest.raises(DestinationError, match="does not give partition 0 of nowhere"):
        worker.write("nowhere", 0, [b""], [b""])
    assert not worker_broker._open


@pytest.mark.broker
def test_a_whole_reading_that_is_broken_off_leaves_nothing_open(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    worker = WorkerBroker(kafka)
    produce_to(kafka, kafka.topics.raw, [(b"", b"one")])
    reading = worker.read_whole(Place(kafka.topics.raw, 0, 1), start=0, end=1)
    assert next(reading).values[0].to_pylist() == [b"one"]
    with pytest.raises(DestinationError):
        joined(worker.read(Place(kafka.topics.raw, 0, 1), start=7, end=8))
    reading.close()  # type: ignore[attr-defined]
    assert not worker_broker._open


@pytest.mark.broker
def test_another_job_in_the_same_process_has_another_connection(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    other = dataclasses.replace(kafka, partitions=2)
    place = Place(kafka.topics.raw, 0, 1)
    produce_to(kafka, kafka.topics.raw, [(b"", b"one")])
    assert joined(WorkerBroker(kafka).read(place, start=0, end=1)).values == [b"one"]
    first = connection()
    assert joined(WorkerBroker(other).read(place, start=0, end=1)).values == [b"one"]
    assert list(worker_broker._open) == [other]
    assert first._maybe_manager is None
    connection().close()


def test_a_worker_that_finds_no_broker_keeps_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(protocol_client, "PATIENCE_SECONDS", 0.3)
    (port,) = free_ports(1)
    worker = WorkerBroker(KafkaSettings(bootstrap=f"127.0.0.1:{port}"))
    with pytest.raises(DestinationError, match="no broker answers"):
        worker.write("any", 0, [b""], [b""])
    assert not worker_broker._open
