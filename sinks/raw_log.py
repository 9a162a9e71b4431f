"""One partition of a raw topic from its beginning, in pieces, with the times that stand on it.

For whoever orders the log once more without Spark: the times are those that Spark gives, the
broker's, in microseconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import NamedTuple

from sinks.errors import DestinationError
from sinks.kafka_client import (
    BROKER_PATIENCE_SECONDS,
    RECORDS_PER_POLL,
    consumer_options,
    quiet_log,
)
from sinks.settings import KafkaSettings
from sinks.shards import Place

US_PER_MS = 1_000


class RawPiece(NamedTuple):
    """Some records in offset order, as columns."""

    offsets: list[int]
    captured_at: list[int]
    values: list[bytes]


def first_offset(kafka: KafkaSettings, place: Place) -> int:
    """The oldest offset that the partition still has."""
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer(consumer_options(kafka), logger=quiet_log)
    try:
        low, _ = consumer.get_watermark_offsets(
            TopicPartition(place.topic, place.partition), timeout=BROKER_PATIENCE_SECONDS
        )
        return int(low)
    finally:
        consumer.close()


def read_raw(
    kafka: KafkaSettings, place: Place, *, start: int = 0, end: int, records: int
) -> Iterator[RawPiece]:
    """The records from one offset to before another, at most so many in a piece."""
    from confluent_kafka import Consumer, TopicPartition

    consumer = Consumer(consumer_options(kafka), logger=quiet_log)
    here = TopicPartition(place.topic, place.partition)
    piece = RawPiece([], [], [])
    silent_since = time.monotonic()
    try:
        consumer.assign([TopicPartition(place.topic, place.partition, start)])
        is_over = start >= end
        while not is_over:
            messages = consumer.consume(RECORDS_PER_POLL, timeout=0.2)
            for message in messages:
                if message.error() is not None:
                    raise DestinationError(f"{place.topic} cannot be read: {message.error()}")
                offset = int(message.offset() or 0)
                if offset >= end:
                    break
                piece.offsets.append(offset)
                piece.captured_at.append(int(message.timestamp()[1]) * US_PER_MS)
                piece.values.append(bytes(message.value() or b""))
                if len(piece.offsets) >= records:
                    yield piece
                    piece = RawPiece([], [], [])
            is_over = consumer.position([here])[0].offset >= end
            if messages:
                silent_since = time.monotonic()
            elif time.monotonic() - silent_since > BROKER_PATIENCE_SECONDS:
                raise DestinationError(
                    f"{place.topic} gives nothing any more: does the broker still answer?"
                )
        if piece.offsets:
            yield piece
    finally:
        consumer.close()
