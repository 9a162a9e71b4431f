"""The ticker: writes the job's ticks into the raw topics, in a thread beside the queries.

What has been ordered it reads in the counters topic, where the ordering query says after each batch
how far it is; when a tick is due `tick_plan.py` decides. A broker that does not answer only delays
ticks, and time stands still until it does.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from contextlib import closing
from typing import Any

from confluent_kafka import Consumer, KafkaException, Message, Producer, TopicPartition

from ingest.wire.envelope import encode, tick
from sinks.errors import RecordError
from sinks.kafka_client import BROKER_PATIENCE_SECONDS, consumer_options, producer_options
from sinks.records import decode_counters
from sinks.settings import KafkaSettings
from streaming.beside import Beside
from streaming.tick_plan import Ordered, TickPlan

LOOK_EVERY_SECONDS = 0.05
US_PER_MS = 1_000

log = logging.getLogger(__name__)
# The client library's own lines about connections; ours say what they mean for the ticks.
_quiet = logging.getLogger("precede.ticker.client")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


def wall_clock() -> int:
    """The time that ticks carry: microseconds since the epoch."""
    return time.time_ns() // US_PER_MS


class Ticker(Beside):
    """Started and stopped by the job. `clock` is the time that the ticks carry."""

    def __init__(
        self, kafka: KafkaSettings, *, pace_ms: int, clock: Callable[[], int] = wall_clock
    ) -> None:
        super().__init__("ticker")
        self._kafka = kafka
        self._clock = clock
        self._shards = kafka.shards
        self._plan = TickPlan(self._shards.number_of_shards, pace_us=pace_ms * US_PER_MS)
        self._ordered: dict[int, Ordered] = {}
        self.written = 0
        """how many ticks the broker has taken"""

    def _run(self) -> None:
        consumer = Consumer(consumer_options(self._kafka), logger=_quiet)
        producer = Producer(producer_options(self._kafka), logger=_quiet)
        is_following = False
        with closing(consumer):
            while not self._is_over.is_set():
                try:
                    if not is_following:
                        self._follow_counters(consumer)
                        is_following = True
                    self._step(consumer, producer)
                except KafkaException as error:
                    log.warning("no tick could be written, time stands still: %s", error)
                    self._is_over.wait(LOOK_EVERY_SECONDS * 10)
            # The last ones are in the topic, or given up, before `stop` returns.
            producer.flush(BROKER_PATIENCE_SECONDS)

    def _follow_counters(self, consumer: Consumer) -> None:
        """Begin at the last word on each partition: the job writes partition p's into p."""
        topic = self._kafka.topics.counters
        starts = []
        for partition in range(self._shards.number_of_shards):
            low, high = self._watermarks(consumer, topic, partition)
            starts.append(TopicPartition(topic, partition, max(low, high - 1)))
        consumer.assign(starts)

    def _step(self, consumer: Consumer, producer: Producer) -> None:
        for message in consumer.consume(1_000, timeout=LOOK_EVERY_SECONDS):
            self._take_counters(message)
        for shard in self._plan.due(now=_steady_us()):
            topic, partition, _ = self._shards.place(shard)
            start, end = self._watermarks(consumer, topic, partition)
            ordered = self._ordered.get(shard, Ordered())
            if end == start:
                continue  # nothing was ever captured here, or all of it has expired
            self._plan.look(shard, start=start, end=end, ordered=ordered)
        ready = self._plan.ready(self._ordered)
        for shard in ready:
            topic, partition, _ = self._shards.place(shard)
            value = encode(tick(self._clock()))
            producer.produce(topic, value=value, partition=partition, on_delivery=self._on_delivery)
        if ready:
            producer.flush(BROKER_PATIENCE_SECONDS)

    def _take_counters(self, message: Message) -> None:
        if message.error() is not None:
            return
        try:
            counters = decode_counters(bytes(message.value() or b""))
        except RecordError as error:
            log.error("a foreign record in the counters topic: %s", error)
            return
        self._ordered[counters.partition] = Ordered(counters.through_offset + 1, counters.deadlines)

    def _on_delivery(self, maybe_error: Any, message: Message) -> None:
        shard = self._shards.number(str(message.topic()), int(message.partition() or 0))
        offset = int(message.offset() or 0)
        if maybe_error is not None:
            log.warning("a tick for shard %d was not taken: %s", shard, maybe_error)
            offset = -1
        else:
            self.written += 1
        self._plan.ticked(shard, offset=offset, now=_steady_us())

    def _watermarks(self, consumer: Consumer, topic: str, partition: int) -> tuple[int, int]:
        low, high = consumer.get_watermark_offsets(
            TopicPartition(topic, partition), timeout=BROKER_PATIENCE_SECONDS
        )
        return low, high


def _steady_us() -> int:
    return time.monotonic_ns() // US_PER_MS
