"""A raw partition is read whole and in order, however it is cut into pieces and compressed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest
from confluent_kafka import Producer, TopicPartition
from kafka.record.memory_records import MemoryRecords

from deploy.local.broker import Broker
from deploy.local.topics import admin_client
from sinks import protocol_client, raw_log
from sinks.errors import DestinationError
from sinks.kafka_client import producer_options, read_topic
from sinks.protocol_client import Partition, ProtocolClient
from sinks.raw_log import RawLog
from sinks.settings import KafkaSettings
from sinks.shards import Place
from tests.messages import wire
from tests.sinks.record_bytes import joined
from tests.topic_tools import new_topics, produce, produce_to

pytestmark = pytest.mark.broker
PATIENCE_S = 30.0
CODECS = {"none": 0, "gzip": 1, "snappy": 2, "lz4": 3, "zstd": 4}


@contextmanager
def opened(kafka: KafkaSettings) -> Iterator[RawLog]:
    with closing(ProtocolClient(kafka)) as client:
        yield RawLog(client)


def place_of(kafka: KafkaSettings) -> Place:
    return Place(kafka.topics.raw, 0, 1)


def test_a_partition_is_read_from_an_offset_to_another(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    written = [wire("a", seq) for seq in range(1, 26)]
    produce(kafka, written)
    place = place_of(kafka)
    with opened(kafka) as log:
        assert log.first_offset(place) == 0
        piece = joined(log.pieces(place, start=3, end=23))
        assert piece.offsets == list(range(3, 23))
        assert piece.values == written[3:23]
        assert joined(log.pieces(place, start=5, end=5)) == ([], [], [])


def test_a_piece_ends_when_it_has_enough_bytes(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one answer of the broker brings is not cut: here a record, which is larger than that."""
    monkeypatch.setattr(protocol_client, "FETCHED_BYTES", 1)
    monkeypatch.setattr(raw_log, "PIECE_BYTES", 250)
    kafka = new_topics(broker.bootstrap, partitions=1)
    for number in range(5):
        produce_to(kafka, kafka.topics.raw, [(b"", bytes(100 + number))])
    with opened(kafka) as log:
        pieces = list(log.pieces(place_of(kafka), start=0, end=5))
    assert [piece.offsets for piece in pieces] == [[0, 1, 2], [3, 4]]
    assert [len(value) for piece in pieces for value in piece.values] == list(range(100, 105))


@pytest.mark.parametrize("codec", CODECS)
def test_every_codec_of_a_writer_is_read_as_all_clients_read_it(broker: Broker, codec: str) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    producer = Producer(producer_options(kafka) | {"compression.type": codec, "linger.ms": 100})
    for number in range(20_000):
        producer.produce(kafka.topics.raw, b"value %d " % number * 9, b"key" * (number % 3))
        producer.poll(0)
    producer.produce(kafka.topics.raw, key=b"key")
    assert producer.flush(PATIENCE_S) == 0
    expected = list(read_topic(kafka, kafka.topics.raw))
    with closing(ProtocolClient(kafka)) as client:
        (first, *_) = MemoryRecords(client.fetch(Partition(kafka.topics.raw, 0), 0))
        assert first.compression_type == CODECS[codec]
        piece = joined(RawLog(client).pieces(place_of(kafka), start=0, end=len(expected)))
        wholes = list(RawLog(client).whole_pieces(place_of(kafka), start=7, end=len(expected)))
    assert piece.offsets == [record.offset for record in expected] == list(range(20_001))
    assert piece.values == [record.value for record in expected]
    assert piece.captured_at == [record.written_at for record in expected]
    keys = [key.as_py() for whole in wholes for array in whole.keys for key in array]
    assert keys == [one.key for one in expected[7:]]


def test_the_writers_own_times_stand_where_the_broker_has_none(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    producer = Producer(producer_options(kafka))
    for at_ms in (5_000_000_000, 4_000_000_000, 6_000_000_000):
        producer.produce(kafka.topics.ordered, b"value", timestamp=at_ms)
    assert producer.flush(PATIENCE_S) == 0
    with opened(kafka) as log:
        piece = joined(log.pieces(Place(kafka.topics.ordered, 0, 1), start=0, end=3))
    assert piece.captured_at == [5_000_000_000_000, 4_000_000_000_000, 6_000_000_000_000]


def test_markers_of_transactions_are_passed_over(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    producer = Producer(producer_options(kafka) | {"transactional.id": kafka.topic_prefix})
    producer.init_transactions(PATIENCE_S)
    for number in range(4):
        producer.begin_transaction()
        producer.produce(kafka.topics.raw, b"%d" % number)
        producer.commit_transaction(PATIENCE_S)
    with opened(kafka) as log:
        piece = joined(log.pieces(place_of(kafka), start=0, end=8))
        assert (piece.offsets, piece.values) == ([0, 2, 4, 6], [b"0", b"1", b"2", b"3"])
        assert joined(log.pieces(place_of(kafka), start=3, end=4)) == ([], [], [])
        assert joined(log.pieces(place_of(kafka), start=3, end=5)).values == [b"2"]


def test_an_offset_that_is_gone_asks_whether_the_topic_was_made_anew(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_to(kafka, kafka.topics.raw, [(b"", b"one")])
    said = "has no offset 9: was the raw topic deleted"
    with opened(kafka) as log, pytest.raises(DestinationError, match=said):
        joined(log.pieces(place_of(kafka), start=9, end=12))


def test_what_the_log_does_not_have_yet_is_waited_for_so_long(
    broker: Broker, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(raw_log, "PATIENCE_SECONDS", 0.5)
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_to(kafka, kafka.topics.raw, [(b"", b"one")])
    said = f"partition 0 of {kafka.topics.raw} gives nothing from offset 1 on"
    with opened(kafka) as log, pytest.raises(DestinationError, match=said):
        joined(log.pieces(place_of(kafka), start=0, end=2))


def test_a_log_whose_past_has_expired_begins_later(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    produce_to(kafka, kafka.topics.raw, ((b"", b"%d" % number) for number in range(6)))
    admin = admin_client(broker.bootstrap)
    for future in admin.delete_records([TopicPartition(kafka.topics.raw, 0, 4)]).values():
        future.result(PATIENCE_S)
    with opened(kafka) as log:
        assert log.first_offset(place_of(kafka)) == 4
        assert joined(log.pieces(place_of(kafka), start=4, end=6)).values == [b"4", b"5"]
        with pytest.raises(DestinationError, match="expired"):
            joined(log.pieces(place_of(kafka), start=3, end=6))
