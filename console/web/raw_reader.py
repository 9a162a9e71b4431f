"""Read single datagrams of the raw topics by their coordinates: what a held message says.

The topic `waits` names a held message and where it was captured, and nothing of what it says. The
follower looks that up here, a few at a time; whoever answers a message gets its bytes from here.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from console.web.live_group import Coordinates
from ingest.wire.bundle import entries_of
from sinks.kafka_client import open_reader, raw_shards
from sinks.settings import KafkaSettings
from sinks.shards import Shards

if TYPE_CHECKING:
    from confluent_kafka import Consumer

PATIENCE_SECONDS: Final = 3.0
RECORDS_AT_ONCE: Final = 100
JUMP_RECORDS: Final = 1_000
"""Up to so many records are read over rather than jumped over: a jump costs a request."""

_POLL_SECONDS: Final = 0.2


class RawReader:
    """One consumer for all who ask; one at a time."""

    def __init__(self, kafka: KafkaSettings) -> None:
        self._kafka = kafka
        self._lock = threading.Lock()
        self._maybe_consumer: Consumer | None = None
        self._maybe_shards: Shards | None = None

    def read(self, wanted: Sequence[Coordinates]) -> dict[Coordinates, bytes]:
        """The datagrams that are still there; what retention or time has taken is left out."""
        by_shard: dict[int, dict[int, list[Coordinates]]] = {}
        for coordinates in wanted:
            shard, offset, _ = coordinates
            by_shard.setdefault(shard, {}).setdefault(offset, []).append(coordinates)
        found: dict[Coordinates, bytes] = {}
        with self._lock:
            for shard, by_offset in by_shard.items():
                for offset, value in self._values(shard, sorted(by_offset)):
                    contents = [entry.content for entry in entries_of(value, captured_at=0)]
                    for coordinates in by_offset[offset]:
                        if coordinates[2] < len(contents):
                            found[coordinates] = contents[coordinates[2]]
        return found

    def close(self) -> None:
        """Let the consumer go."""
        with self._lock:
            if self._maybe_consumer is not None:
                self._maybe_consumer.close()
                self._maybe_consumer = None

    def _values(self, shard: int, offsets: list[int]) -> Iterator[tuple[int, bytes]]:
        """The records at these offsets; neighbours are read in one go, others are jumped to."""
        from confluent_kafka import KafkaException, TopicPartition

        if self._maybe_consumer is None:
            self._maybe_consumer = open_reader(self._kafka)
        if self._maybe_shards is None:
            self._maybe_shards = raw_shards(self._kafka)
        consumer = self._maybe_consumer
        topic, partition, _ = self._maybe_shards.place(shard)
        waiting = deque(offsets)
        at = -JUMP_RECORDS
        deadline = time.monotonic() + PATIENCE_SECONDS
        while waiting and time.monotonic() < deadline:
            try:
                if not at <= waiting[0] < at + JUMP_RECORDS:
                    at = waiting[0]
                    consumer.assign([TopicPartition(topic, partition, at)])
                messages = consumer.consume(RECORDS_AT_ONCE, timeout=_POLL_SECONDS)
            except KafkaException:
                return
            for message in messages:
                if message.error() is not None:
                    # Nothing is there any more; the next one may be.
                    at = -JUMP_RECORDS
                    waiting.popleft()
                    break
                at = int(message.offset() or 0) + 1
                while waiting and waiting[0] < at:
                    if waiting.popleft() == at - 1:
                        yield at - 1, bytes(message.value() or b"")
