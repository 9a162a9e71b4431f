"""The archive over Kafka: requests go to the service's topic, pages come back over another.

    KafkaArchive(KafkaSettings(bootstrap="127.0.0.1:9092"))

The client works in a thread of its own and hands each page to the member's loop; no message of a
group ever waits for it. Pages for a member stand in the partition of its pid, so it reads only
that one, from where the topic ended when it first asked. A broker that is away costs nothing but
the answers.
"""

import asyncio
import logging
import threading
from collections import deque
from typing import TYPE_CHECKING, Final

from ingest.wire.envelope import decode
from ingest.wire.partition import partition_of
from members.archive import OnPage
from ordering.values import GroupId
from sinks.kafka_client import consumer_options, producer_options
from sinks.settings import KafkaSettings

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Producer

REQUESTS: Final = 64
"""Requests that wait for the client; the oldest goes, because a newer one asks for the same."""

LOOK_EVERY_SECONDS: Final = 0.05
FOLLOW_SECONDS: Final = 1.0
"""How long the thread waits for a broker at a time, and so a member that stops for its thread."""

PAGES_AT_ONCE: Final = 16

log = logging.getLogger(__name__)
_quiet = logging.getLogger("precede.archive.client")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


class KafkaArchive:
    """One member's way to the service."""

    def __init__(self, kafka: KafkaSettings) -> None:
        self._kafka = kafka
        self._requests: deque[bytes] = deque(maxlen=REQUESTS)
        self._is_over = threading.Event()
        self._maybe_thread: threading.Thread | None = None
        self._partitions: set[int] = set()

    def open(self, on_page: OnPage) -> None:
        """Start the thread; a broker that is away is only logged."""
        loop = asyncio.get_running_loop()
        self._maybe_thread = threading.Thread(
            target=self._run, args=(loop, on_page), name="archive", daemon=True
        )
        self._maybe_thread.start()

    def ask(self, request: bytes) -> None:
        """Leave a request for the thread to send."""
        self._requests.append(request)

    def close(self) -> None:
        """Stop the thread."""
        self._is_over.set()
        if self._maybe_thread is not None:
            self._maybe_thread.join()
            self._maybe_thread = None

    def _run(self, loop: asyncio.AbstractEventLoop, on_page: OnPage) -> None:
        from confluent_kafka import Consumer, KafkaException, Producer

        consumer = Consumer(consumer_options(self._kafka), logger=_quiet)
        producer = Producer(producer_options(self._kafka), logger=_quiet)
        while not self._is_over.is_set():
            try:
                self._send(consumer, producer)
                if self._partitions:
                    self._listen(consumer, loop, on_page)
                else:
                    self._is_over.wait(LOOK_EVERY_SECONDS)
            except KafkaException as error:
                log.warning("the service cannot be asked: %s", error)
                self._is_over.wait(LOOK_EVERY_SECONDS * 10)
            except RuntimeError:
                break  # the loop is closed: nobody is there to be told
        consumer.close()
        producer.purge()
        producer.flush(0)

    def _send(self, consumer: "Consumer", producer: "Producer") -> None:
        while self._requests:
            request = self._requests[0]
            envelope = decode(request)
            self._follow(consumer, envelope.sender)
            key = envelope.group.encode()
            producer.produce(self._kafka.topics.requests, value=request, key=key)
            self._requests.popleft()
        producer.poll(0)

    def _follow(self, consumer: "Consumer", requester: str) -> None:
        """Listen to a requester's partition from where it ends now, before the request is sent."""
        from confluent_kafka import TopicPartition

        partition = partition_of(GroupId(requester), self._kafka.shards.number_of_shards)
        if partition in self._partitions:
            return
        place = TopicPartition(self._kafka.topics.answers, partition)
        _, end = consumer.get_watermark_offsets(place, timeout=FOLLOW_SECONDS)
        place.offset = end
        consumer.incremental_assign([place])
        self._partitions.add(partition)

    def _listen(
        self, consumer: "Consumer", loop: asyncio.AbstractEventLoop, on_page: OnPage
    ) -> None:
        for message in consumer.consume(PAGES_AT_ONCE, timeout=LOOK_EVERY_SECONDS):
            if message.error() is None:
                loop.call_soon_threadsafe(on_page, bytes(message.value() or b""))
