"""Every option name of the Kafka client library, and the few calls that reading topics needs.

The agent's producer, `verify`, the demo and the job's start all get their options here, so that a
site's security settings reach every client.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sinks.errors import DestinationError
from sinks.settings import KafkaSettings, SecurityProtocol

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message

# How long a command waits for a broker before it says that there is none.
BROKER_PATIENCE_SECONDS = 10.0
RETRY_SECONDS = 0.1
# Records taken from the client at once: large enough to hide the call, small enough to stay live.
RECORDS_PER_POLL = 1_000

# The library writes "connection refused" lines of its own to standard error; ours say what to do.
_quiet = logging.getLogger("precede.kafka")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


def client_options(kafka: KafkaSettings) -> dict[str, Any]:
    """Where the broker is and how to prove who we are."""
    options: dict[str, Any] = {
        "bootstrap.servers": kafka.bootstrap,
        "security.protocol": kafka.security_protocol.value,
    }
    if kafka.ca_file is not None:
        options["ssl.ca.location"] = str(kafka.ca_file)
    if kafka.security_protocol is SecurityProtocol.SASL_SSL:
        options["sasl.mechanism"] = "SCRAM-SHA-512"
        options["sasl.username"] = kafka.username
        options["sasl.password"] = kafka.read_password()
    return options


def producer_options(kafka: KafkaSettings) -> dict[str, Any]:
    """No message lost, repeated or reordered within a session; groups placed as all clients do."""
    return client_options(kafka) | {
        "enable.idempotence": True,
        "acks": "all",
        "compression.type": "lz4",
        "linger.ms": 5,
        "partitioner": "murmur2_random",
    }


def consumer_options(kafka: KafkaSettings) -> dict[str, Any]:
    """Read a topic on our own account: nothing is committed, no group is joined."""
    return client_options(kafka) | {
        "group.id": "precede-reader",
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
        "enable.partition.eof": False,
        "isolation.level": "read_committed",
    }


class TopicRecord(NamedTuple):
    """One record as it stands in a topic."""

    partition: int
    offset: int
    key: bytes
    value: bytes


def partition_count(kafka: KafkaSettings, topic: str) -> int:
    """How many partitions a topic has; `DestinationError` if there is no broker or no topic."""
    consumer = _consumer(kafka)
    try:
        return len(_partitions(consumer, kafka, topic))
    finally:
        consumer.close()


def end_offsets(kafka: KafkaSettings, topic: str) -> dict[int, int]:
    """For each partition, the offset that the next record will get."""
    consumer = _consumer(kafka)
    try:
        return {
            partition: _watermarks(consumer, kafka, topic, partition)[1]
            for partition in _partitions(consumer, kafka, topic)
        }
    finally:
        consumer.close()


def read_topic(kafka: KafkaSettings, topic: str) -> Iterator[TopicRecord]:
    """Every record that the topic holds now, partition by partition in offset order."""
    from confluent_kafka import TopicPartition

    consumer = _consumer(kafka)
    try:
        for partition in _partitions(consumer, kafka, topic):
            low, high = _watermarks(consumer, kafka, topic, partition)
            if low == high:
                continue
            consumer.assign([TopicPartition(topic, partition, low)])
            yield from _until(consumer, kafka, topic, partition=partition, end=high)
    finally:
        consumer.close()


def follow_topic(
    kafka: KafkaSettings, topic: str, *, is_over: Callable[[], bool], wait_seconds: float = 0.2
) -> Iterator[list[TopicRecord]]:
    """What the topic holds and what arrives, in lists (empty when nothing came), until over."""
    from confluent_kafka import TopicPartition

    consumer = _consumer(kafka)
    try:
        starts = [
            TopicPartition(topic, partition, _watermarks(consumer, kafka, topic, partition)[0])
            for partition in _partitions(consumer, kafka, topic)
        ]
        consumer.assign(starts)
        while not is_over():
            yield [
                _record(message)
                for message in consumer.consume(RECORDS_PER_POLL, timeout=wait_seconds)
                if message.error() is None
            ]
    finally:
        consumer.close()


def _consumer(kafka: KafkaSettings) -> Consumer:
    from confluent_kafka import Consumer

    return Consumer(consumer_options(kafka), logger=_quiet)


def _partitions(consumer: Consumer, kafka: KafkaSettings, topic: str) -> list[int]:
    from confluent_kafka import KafkaException

    try:
        metadata = consumer.list_topics(topic, timeout=BROKER_PATIENCE_SECONDS)
    except KafkaException as error:
        raise _no_broker(kafka) from error
    found = metadata.topics[topic]
    if found.error is not None or not found.partitions:
        raise DestinationError(
            f"the broker at {kafka.bootstrap} has no topic {topic}: "
            "is kafka.topic_prefix right, and has the agent or the job been started once?"
        )
    return sorted(found.partitions)


def _watermarks(
    consumer: Consumer, kafka: KafkaSettings, topic: str, partition: int
) -> tuple[int, int]:
    from confluent_kafka import KafkaException, TopicPartition

    deadline = time.monotonic() + BROKER_PATIENCE_SECONDS
    while True:
        try:
            low, high = consumer.get_watermark_offsets(
                TopicPartition(topic, partition), timeout=BROKER_PATIENCE_SECONDS
            )
        except KafkaException as error:
            # A topic that was made a moment ago may still be looking for its leader.
            if time.monotonic() > deadline:
                raise _no_broker(kafka) from error
            time.sleep(RETRY_SECONDS)
        else:
            return low, high


def _until(
    consumer: Consumer, kafka: KafkaSettings, topic: str, *, partition: int, end: int
) -> Iterator[TopicRecord]:
    """Records up to `end`; markers of transactions have offsets too, so the position decides."""
    from confluent_kafka import TopicPartition

    silent_since = time.monotonic()
    while True:
        messages = consumer.consume(RECORDS_PER_POLL, timeout=0.2)
        for message in messages:
            if message.error() is not None:
                raise DestinationError(f"{topic} cannot be read: {message.error()}")
            record = _record(message)
            if record.offset < end:
                yield record
        position = consumer.position([TopicPartition(topic, partition)])[0].offset
        if position >= end:
            return
        if messages:
            silent_since = time.monotonic()
        elif time.monotonic() - silent_since > BROKER_PATIENCE_SECONDS:
            raise _no_broker(kafka)


def _record(message: Message) -> TopicRecord:
    return TopicRecord(
        int(message.partition() or 0),
        int(message.offset() or 0),
        bytes(message.key() or b""),
        bytes(message.value() or b""),
    )


def _no_broker(kafka: KafkaSettings) -> DestinationError:
    return DestinationError(
        f"no broker answers at {kafka.bootstrap}: start it (precede broker), "
        "or set kafka.bootstrap to where it is"
    )
