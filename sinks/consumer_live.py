"""The present, from the ordered topic: records as they stand there, repeats and all.

`OrderedConsumer` decides what to keep. This is the only part of it that speaks to the broker.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple

from sinks.errors import DestinationError
from sinks.kafka_client import (
    RECORDS_PER_POLL,
    TopicRecord,
    open_reader,
    partitions_of,
    record_of,
    watermarks,
)
from sinks.settings import KafkaSettings

if TYPE_CHECKING:
    from confluent_kafka import KafkaError


class Bounds(NamedTuple):
    """What a partition of the topic has now: its oldest offset, and the next one to come."""

    low: int
    high: int


class LiveTopic:
    """One client of the broker that reads all partitions of the ordered topic."""

    def __init__(self, kafka: KafkaSettings) -> None:
        self._kafka = kafka
        self.topic = kafka.topics.ordered
        self._client = open_reader(kafka)
        self._starts: dict[int, int] = {}
        try:
            self.partitions = partitions_of(self._client, kafka, self.topic)
        except DestinationError:
            self._client.close()
            raise

    def bounds(self, partition: int) -> Bounds:
        """Ask the broker; `DestinationError` if none answers."""
        return Bounds(*watermarks(self._client, self._kafka, self.topic, partition))

    def start(self, offsets: Mapping[int, int]) -> None:
        """Begin to read, each partition at its offset."""
        from confluent_kafka import TopicPartition

        self._starts = dict(offsets)
        self._client.assign(
            [TopicPartition(self.topic, number, offset) for number, offset in offsets.items()]
        )

    def read(self, timeout: float) -> list[TopicRecord]:
        """What has come, after at most `timeout` seconds; perhaps nothing."""
        records = []
        for message in self._client.consume(RECORDS_PER_POLL, timeout=timeout):
            error = message.error()
            if error is None:
                records.append(record_of(message))
            elif error.code() == error._AUTO_OFFSET_RESET:
                # What was to come next is deleted; the missing numbers will tell how much.
                partition = int(message.partition() or 0)
                self.go_back(partition, self.bounds(partition).low)
            elif error.fatal() or error.code() in _without_cure(error):
                raise DestinationError(
                    f"{self.topic} at {self._kafka.bootstrap} cannot be read any more: "
                    f"{error.str()}"
                )
        return records

    def go_back(self, partition: int, offset: int) -> None:
        """Read a partition again from an offset; what was fetched of it and not read is dropped."""
        from confluent_kafka import TopicPartition

        place = [TopicPartition(self.topic, partition, offset)]
        self._starts[partition] = offset
        self._client.incremental_unassign(place)
        self._client.incremental_assign(place)

    def next_offsets(self) -> dict[int, int]:
        """For each partition, the offset behind what was read; nothing before `start`."""
        from confluent_kafka import TopicPartition

        if not self._starts:
            return {}
        places = self._client.position(
            [TopicPartition(self.topic, number) for number in self._starts]
        )
        return {
            int(place.partition): max(int(place.offset), self._starts[place.partition])
            for place in places
        }

    def close(self) -> None:
        """Let the broker go."""
        self._client.close()


def _without_cure(error: KafkaError) -> tuple[int, ...]:
    """Errors that waiting does not mend; the client itself mends the others."""
    return (
        error.UNKNOWN_TOPIC_OR_PART,
        error.TOPIC_AUTHORIZATION_FAILED,
        error._UNKNOWN_TOPIC,
        error._AUTHENTICATION,
    )
