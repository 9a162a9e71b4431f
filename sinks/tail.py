"""The newest records of a topic, for those who look now and then and need not see everything.

    with Tail(kafka, topic, newest=1) as tail:   begins at the last record of each partition
        tail.read(most=500)                      what came since, at most so many, without waiting
        tail.skip_to_newest(500)                 leave out all but about so many of what is unread

Any trouble with the broker is a `DestinationError`, and the next call tries again.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from types import TracebackType
from typing import Self

from confluent_kafka import Consumer, KafkaException, TopicPartition

from sinks.errors import DestinationError
from sinks.kafka_client import (
    BROKER_PATIENCE_SECONDS,
    TopicRecord,
    quiet_log,
    record_of,
    tail_options,
    watermarks,
)
from sinks.settings import KafkaSettings

MOST_RECORDS = 10_000
LOOK_SECONDS = 0.05


class Tail:
    """Follows the end of one topic; belongs to one thread."""

    def __init__(self, kafka: KafkaSettings, topic: str, *, newest: int) -> None:
        """`newest` records of each partition are read first."""
        self._kafka = kafka
        self._topic = topic
        self._newest = newest
        self._consumer = Consumer(tail_options(kafka), logger=quiet_log)
        self._starts: dict[int, int] = {}

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._consumer.close()

    def read(self, *, most: int = MOST_RECORDS) -> list[TopicRecord]:
        """What came since the last call, at most so many records."""
        with self._told():
            self._begin()
            messages = self._consumer.consume(most, timeout=LOOK_SECONDS)
        return [record_of(message) for message in messages if message.error() is None]

    def ends(self, topic: str) -> dict[int, int]:
        """For each partition of any topic, the offset that the next record will get."""
        with self._told():
            found = self._consumer.list_topics(topic, timeout=BROKER_PATIENCE_SECONDS)
            partitions = sorted(found.topics[topic].partitions)
            return {partition: self._end(topic, partition) for partition in partitions}

    def skip_to_newest(self, records: int) -> None:
        """Leave out what is unread but the newest; about so many remain, of all partitions."""
        with self._told():
            self._begin()
            share = max(1, records // max(1, len(self._starts)))
            for partition, start in self._starts.items():
                place = TopicPartition(self._topic, partition)
                newest = self._end(self._topic, partition) - share
                # Before the first record is read the client knows no position: it is the start.
                if newest > max(start, self._consumer.position([place])[0].offset):
                    self._consumer.seek(TopicPartition(self._topic, partition, newest))

    def _begin(self) -> None:
        """Assign the partitions at the first call that reaches the broker."""
        if self._starts:
            return
        ends = self.ends(self._topic)
        starts = {partition: max(0, end - self._newest) for partition, end in ends.items()}
        self._consumer.assign([TopicPartition(self._topic, *start) for start in starts.items()])
        self._starts = starts

    def _end(self, topic: str, partition: int) -> int:
        return watermarks(self._consumer, self._kafka, topic, partition)[1]

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except KafkaException as error:
            raise DestinationError(f"{self._topic} cannot be read: {error}") from error
