"""Read our topics with another Kafka client: proof that nothing in them is for one library only.

`precede verify --client kafka-python` reads through this and must find the same. Written in Python
from Kafka's own protocol files, it shares no line with the client that writes. Slower by far, so
that nothing else reads records through it (`sinks.protocol_client` asks it for bytes).
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from sinks.cloud_events import envelope_form
from sinks.errors import DestinationError
from sinks.kafka_client import BROKER_PATIENCE_SECONDS, TopicRecord, no_broker
from sinks.protocol_client import connection_options
from sinks.settings import KafkaSettings

if TYPE_CHECKING:
    from kafka import KafkaConsumer

_MILLISECONDS_PER_SECOND = 1_000
_MICROSECONDS_PER_MILLISECOND = 1_000
_POLL_MS = 500
_MOST_RECORDS = 10_000


def second_client_options(kafka: KafkaSettings) -> dict[str, Any]:
    """How to read whole topics with this client."""
    return connection_options(kafka) | {
        "bootstrap_timeout_ms": int(BROKER_PATIENCE_SECONDS * _MILLISECONDS_PER_SECOND),
        "enable_auto_commit": False,
        "allow_auto_create_topics": False,
        "isolation_level": "read_committed",
        "auto_offset_reset": "earliest",
    }


def read_topic_again(kafka: KafkaSettings, topic: str) -> Iterator[TopicRecord]:
    """Every record that the topic holds now, partition by partition in offset order."""
    from kafka import KafkaConsumer, TopicPartition
    from kafka.errors import KafkaError

    try:
        consumer = KafkaConsumer(**second_client_options(kafka))
    except (KafkaError, OSError) as error:
        raise no_broker(kafka) from error
    try:
        partitions = sorted(consumer.partitions_for_topic(topic) or ())
        if not partitions:
            raise DestinationError(
                f"the broker at {kafka.bootstrap} has no topic {topic}; look at kafka.topic_prefix"
            )
        for partition in partitions:
            yield from _read_partition(consumer, TopicPartition(topic, partition))
    finally:
        consumer.close()


def _read_partition(consumer: KafkaConsumer, partition: Any) -> Iterator[TopicRecord]:
    """Read up to where the partition ends now; the position also passes what has no record."""
    start = consumer.beginning_offsets([partition])[partition]
    end = consumer.end_offsets([partition])[partition]
    if start >= end:
        return
    consumer.assign([partition])
    consumer.seek(partition, start)
    while consumer.position(partition) < end:
        polled = consumer.poll(timeout_ms=_POLL_MS, max_records=_MOST_RECORDS)
        for record in polled.get(partition, ()):
            if record.offset < end:
                yield TopicRecord(
                    partition.partition,
                    record.offset,
                    record.key or b"",
                    envelope_form(record.value or b"", record.headers),
                    max(0, record.timestamp) * _MICROSECONDS_PER_MILLISECOND,
                )
