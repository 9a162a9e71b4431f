"""Follow the topics into the model, in a thread of its own, as long as the server runs.

The ordered topic is read from its last records on, as many as the model keeps; `waits` from its
beginning, since what is held may be old; the newest of `counters` and `gaps`. A broker that is away
is told on the page and tried again.

    each round: take what has come ─> decode ─> drop repeats by ordinal ─> model
                then look up what a few held messages say
"""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING, Final

from console.web.model import MOST_MESSAGES, Model
from console.web.raw_reader import RawReader
from sinks.errors import RecordError
from sinks.kafka_client import (
    BROKER_PATIENCE_SECONDS,
    RECORDS_PER_POLL,
    open_reader,
    partitions_of,
    record_of,
    watermarks,
)
from sinks.records import decode_counters, decode_ordered
from sinks.settings import KafkaSettings
from sinks.waits import decode_gap, decode_wait

if TYPE_CHECKING:
    from confluent_kafka import Consumer, TopicPartition

POLL_SECONDS: Final = 0.1
RETRY_SECONDS: Final = 2.0
LOOK_UPS: Final = 32
"""Held messages that are looked up in one round: live deliveries come first."""

NEWS_RECORDS: Final = 1_000
"""Records of `counters` and `gaps` that are read again after a start, for each partition."""

GAP_MEMORY: Final = 4_096
"""Records of gaps by which a repeat is known; they carry no ordinal."""


class Follower:
    """One thread; `start` and `stop` are called once."""

    def __init__(self, kafka: KafkaSettings, model: Model, *, raw: RawReader) -> None:
        self._kafka = kafka
        self._model = model
        self._raw = raw
        self._is_over = threading.Event()
        self._thread = threading.Thread(target=self._run, name="follower", daemon=True)
        self._ordinals: dict[tuple[str, int], int] = {}
        self._gaps_seen: dict[bytes, None] = {}
        self._offsets: dict[tuple[str, int], int] = {}
        self.is_caught_up = False
        """whether what the topics held at the start has been taken"""

    def start(self) -> None:
        """Begin to follow."""
        self._thread.start()

    def stop(self) -> None:
        """End and wait for the end."""
        self._is_over.set()
        if self._thread.ident is not None:
            self._thread.join(timeout=BROKER_PATIENCE_SECONDS)

    def _run(self) -> None:
        while not self._is_over.is_set():
            try:
                self._follow()
            except Exception as error:
                # Whatever it is, the page goes on showing what it has, and says why it is still.
                self._model.problem = f"{error}; trying again"
                self._is_over.wait(RETRY_SECONDS)

    def _follow(self) -> None:
        consumer = open_reader(self._kafka)
        try:
            ends = self._assign(consumer)
            self._model.problem = ""
            while not self._is_over.is_set():
                is_idle = self._round(consumer)
                if not self.is_caught_up:
                    self.is_caught_up = all(
                        self._offsets.get(place, -1) + 1 >= end for place, end in ends.items()
                    )
                if is_idle and self.is_caught_up:
                    self._look_up()
        finally:
            consumer.close()

    def _assign(self, consumer: Consumer) -> dict[tuple[str, int], int]:
        """Begin where this follower was, or near the end; gives where the partitions end now."""
        from confluent_kafka import TopicPartition

        topics = self._kafka.topics
        tails = {
            topics.ordered: MOST_MESSAGES,
            topics.waits: None,
            topics.counters: NEWS_RECORDS,
            topics.gaps: NEWS_RECORDS,
        }
        starts: list[TopicPartition] = []
        ends: dict[tuple[str, int], int] = {}
        for topic, maybe_tail in tails.items():
            for partition in partitions_of(consumer, self._kafka, topic):
                low, high = watermarks(consumer, self._kafka, topic, partition)
                start = low if maybe_tail is None else max(low, high - maybe_tail)
                start = max(start, self._offsets.get((topic, partition), -1) + 1)
                starts.append(TopicPartition(topic, partition, min(start, high)))
                if start < high:
                    ends[topic, partition] = high
        consumer.assign(starts)
        return ends

    def _round(self, consumer: Consumer) -> bool:
        """Take what has come; says whether that was nothing much."""
        messages = consumer.consume(RECORDS_PER_POLL, timeout=POLL_SECONDS)
        for message in messages:
            if message.error() is not None:
                continue
            topic, record = str(message.topic()), record_of(message)
            try:
                self._take(topic, record.key, record.value)
            except RecordError as error:
                self._model.problem = f"{topic} holds a record that is none of ours: {error}"
            self._offsets[topic, record.partition] = record.offset
        return len(messages) < RECORDS_PER_POLL

    def _take(self, topic: str, key: bytes, value: bytes) -> None:
        topics, model = self._kafka.topics, self._model
        if topic == topics.ordered:
            ordered = decode_ordered(value)
            if self._is_new(topic, ordered.partition, ordered.ordinal):
                model.deliver(ordered, at_second=int(time.time()) if self.is_caught_up else None)
        elif topic == topics.waits:
            wait = decode_wait(value)
            if self._is_new(topic, wait.partition, wait.ordinal):
                model.wait(key.decode(errors="replace"), wait)
        elif topic == topics.counters:
            model.count(decode_counters(value), seen_at=time.time_ns() // 1_000)
        elif value not in self._gaps_seen:
            self._gaps_seen[value] = None
            if len(self._gaps_seen) > GAP_MEMORY:
                del self._gaps_seen[next(iter(self._gaps_seen))]
            model.gap(decode_gap(value))

    def _is_new(self, topic: str, partition: int, ordinal: int) -> bool:
        if ordinal <= self._ordinals.get((topic, partition), 0):
            return False
        self._ordinals[topic, partition] = ordinal
        return True

    def _look_up(self) -> None:
        unread = self._model.unread(LOOK_UPS)
        if not unread:
            return
        found = self._raw.read([coordinates for _, _, coordinates in unread])
        for group, message_id, coordinates in unread:
            self._model.describe(group, message_id, found.get(coordinates))
