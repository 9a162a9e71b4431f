"""What is written has no gap, and stands in its order, whatever is refused on the way."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable
from contextlib import closing
from itertools import takewhile

import pytest
from hypothesis import given
from hypothesis import strategies as some

from deploy.local.broker import Broker
from deploy.local.topics import TopicSpec, create_topics
from sinks import batch_writing
from sinks.batch_writing import Records, header_block, write_batches
from sinks.errors import DestinationError
from sinks.kafka_client import read_topic
from sinks.protocol_client import Partition, ProtocolClient, TooLargeError
from sinks.second_client import read_topic_again
from sinks.settings import KafkaSettings
from sinks.topic_writer import TopicWriter
from tests.refusing_proxy import RefusingProxy
from tests.sinks.record_bytes import Headers, read_by_client
from tests.topic_tools import new_topics

HEADERS: Headers = [("ce_id", b"a#1:1"), ("\u00e4", b""), ("long", b"h" * 300)]
HERE = Partition("topic", 5)


class Recording(ProtocolClient):
    """Takes batches up to a size, and notes what happens; it has no broker."""

    def __init__(self, most_bytes: int) -> None:
        super().__init__(KafkaSettings())
        self.values: list[bytes] = []
        self.happened: list[str] = []
        self._most_bytes = most_bytes

    def produce(
        self, partition: Partition, batch: bytes, *, meanwhile: Callable[[], None] = lambda: None
    ) -> None:
        assert partition == HERE
        self.happened.append("sent")
        meanwhile()
        if len(batch) > self._most_bytes:
            self.happened.append("refused")
            raise TooLargeError
        self.values += [record.value or b"" for record in read_by_client(batch)]
        self.happened.append("acknowledged")


def write(client: ProtocolClient, values: list[bytes], *, batch_bytes: int) -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(batch_writing, "BATCH_BYTES", batch_bytes)
        TopicWriter(client).write(*HERE, [b"key"] * len(values), values)


@given(some.lists(some.binary(max_size=40), max_size=40), some.sampled_from([1, 60, 900]))
def test_every_batch_is_acknowledged_before_the_next_one_is_sent(
    values: list[bytes], batch_bytes: int
) -> None:
    client = Recording(1 << 30)
    write(client, values, batch_bytes=batch_bytes)
    assert client.values == values
    assert client.happened == ["sent", "acknowledged"] * (len(client.happened) // 2)


@given(
    some.lists(some.integers(0, 120).map(random.Random(1).randbytes), max_size=40),
    some.sampled_from([1, 100, 900_000]),
    some.integers(80, 260),
)
def test_what_a_topic_refuses_comes_in_halves_and_nothing_behind_what_it_never_takes(
    values: list[bytes], batch_bytes: int, most_bytes: int
) -> None:
    client = Recording(most_bytes)
    taken = list(takewhile(lambda value: is_taken(value, most_bytes), values))
    if taken == values:
        write(client, values, batch_bytes=batch_bytes)
    else:
        said = f"a record of {len(values[len(taken)])} bytes is larger than its topic takes"
        with pytest.raises(DestinationError, match=said):
            write(client, values, batch_bytes=batch_bytes)
    assert client.values == taken


def is_taken(value: bytes, most_bytes: int) -> bool:
    (batch,) = write_batches(Records([b"key"], [value], None), at_ms=0)
    return len(batch.content) <= most_bytes


def test_the_next_batch_is_made_while_the_broker_is_at_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    client = Recording(1 << 30)
    closed = batch_writing._closed

    def close(*parts: object) -> bytes:
        client.happened.append("made")
        return closed(*parts)  # type: ignore[arg-type]

    monkeypatch.setattr(batch_writing, "_closed", close)
    write(client, [b"one", b"two", b"three"], batch_bytes=1)
    one = ["sent", "made", "acknowledged"]
    assert client.happened == ["made", *one, *one, "sent", "acknowledged"]


@pytest.mark.broker
def test_both_clients_read_what_was_written(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap)
    dice = random.Random(2)
    values = [dice.randbytes(dice.randrange(400)) for _ in range(20_000)]
    keys = [b"group %d" % (at % 7) for at in range(len(values))]
    with closing(ProtocolClient(kafka)) as client:
        writer = TopicWriter(client)
        writer.write(kafka.topics.ordered, 1, keys, values)
        writer.write(kafka.topics.ordered, 0, [], [])
        writer.write(kafka.topics.ordered, 0, [b""], [b""])
    found = list(read_topic(kafka, kafka.topics.ordered))
    assert [(one.partition, one.offset) for one in found] == [
        (0, 0),
        *((1, at) for at in range(len(values))),
    ]
    assert [(one.key, one.value) for one in found[1:]] == list(zip(keys, values, strict=True))
    assert list(read_topic_again(kafka, kafka.topics.ordered)) == found


@pytest.mark.broker
def test_headers_are_read_as_they_were_written(broker: Broker) -> None:
    from confluent_kafka import Consumer, TopicPartition

    from sinks.kafka_client import consumer_options

    kafka = new_topics(broker.bootstrap, partitions=1)
    block = header_block((name.encode(), value or b"") for name, value in HEADERS)
    with closing(ProtocolClient(kafka)) as client:
        TopicWriter(client).write(
            kafka.topics.ordered, 0, [b"a", b"b"], [b"1", b"2"], [block, header_block([])]
        )
        fetched = client.fetch(Partition(kafka.topics.ordered, 0), 0)
    assert [list(record.headers) for record in read_by_client(fetched)] == [HEADERS, []]
    consumer = Consumer(consumer_options(kafka))
    consumer.assign([TopicPartition(kafka.topics.ordered, 0, 0)])
    try:
        first, second = consumer.consume(2, timeout=30)
        assert (first.headers(), second.headers()) == (HEADERS, None)
    finally:
        consumer.close()


def narrow_topic(broker: Broker, kafka: KafkaSettings, *, most_bytes: int) -> str:
    """A topic with one partition that takes so many bytes at once."""
    name = f"{kafka.topic_prefix}.narrow"
    settings = {"max.message.bytes": str(most_bytes)}
    create_topics(broker.bootstrap, [TopicSpec(name=name, partitions=1, settings=settings)])
    return name


@pytest.mark.broker
def test_a_topic_that_takes_little_has_all_records_in_order(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    topic = narrow_topic(broker, kafka, most_bytes=2_000)
    dice = random.Random(3)
    values = [dice.randbytes(dice.randrange(800)) for _ in range(200)]
    with closing(ProtocolClient(kafka)) as client:
        TopicWriter(client).write(topic, 0, [b"k"] * len(values), values)
    assert [record.value for record in read_topic(kafka, topic)] == values


@pytest.mark.broker
def test_nothing_is_written_behind_a_record_that_its_topic_never_takes(broker: Broker) -> None:
    kafka = new_topics(broker.bootstrap, partitions=1)
    topic = narrow_topic(broker, kafka, most_bytes=2_000)
    dice = random.Random(4)
    values = [dice.randbytes(5_000 if at == 20 else 200) for at in range(50)]
    said = f"a record of 5000 bytes is larger than its topic takes .{topic}"
    with closing(ProtocolClient(kafka)) as client, pytest.raises(DestinationError, match=said):
        TopicWriter(client).write(topic, 0, [b"k"] * len(values), values)
    assert [record.value for record in read_topic(kafka, topic)] == values[:20]


@pytest.mark.broker
def test_what_a_partition_refuses_at_first_is_written_before_what_follows(broker: Broker) -> None:
    """A reader takes what goes back for a repeat: the first record, behind the second one, would be
    dropped.
    """
    kafka = new_topics(broker.bootstrap, partitions=1)
    values = [b"%d" % at for at in range(5)]
    with RefusingProxy(broker.bootstrap, kafka.topics.ordered) as proxy:
        there = dataclasses.replace(kafka, bootstrap=proxy.bootstrap)
        with closing(ProtocolClient(there)) as client, pytest.MonkeyPatch.context() as patch:
            patch.setattr(batch_writing, "BATCH_BYTES", 1)
            TopicWriter(client).write(kafka.topics.ordered, 0, [b"k"] * len(values), values)
        assert proxy.requests == len(values) + 1
    assert [record.value for record in read_topic(kafka, kafka.topics.ordered)] == values
