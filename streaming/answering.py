"""Answering: gives members what they lack, from the tables, in a thread beside the queries.

A member that finds nobody with what it lacks writes a request to the topic `requests`; the pages of
its answer go to the topic `answers`, into the partition of the requester's pid. One round:

1. Take what is there, a bounded number. What is no request, and what is older than anybody waits,
   is counted and dropped; of several requests of one member for one group the newest counts.
2. Look at the table as it is now.
3. Answer, a few at a time. Whatever goes wrong with one is logged and told to its requester.
4. When the pages are in the topic, note how far it has come. A crash before that answers again,
   with the same positions, and the reader drops them.
"""

from __future__ import annotations

import logging
import time
from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from typing import TYPE_CHECKING, Final

from ingest.wire.archive import Page, encode_page
from ingest.wire.envelope import Kind, decode
from ingest.wire.errors import WireError, WireReason
from ingest.wire.synchronisation import Request, decode_synchronisation
from sinks.errors import DestinationError
from sinks.history import History
from sinks.kafka_client import (
    BROKER_PATIENCE_SECONDS,
    producer_options,
    progress_options,
)
from streaming.answering_pages import Asked, Envelopes, page_of_problem, pages_of
from streaming.beside import Beside

if TYPE_CHECKING:
    from confluent_kafka import Consumer, Message, Producer, TopicPartition

    from sinks.settings import KafkaSettings

REQUESTS_AT_ONCE: Final = 64
"""Requests of one round; the rest wait in the topic."""

ANSWERS_AT_ONCE: Final = 2
"""Answers that are made at the same time: each may hold some sixteen megabytes."""

STALE_MS: Final = 600_000
"""Nobody waits for an answer for so long: a member asks again within a minute."""

LOOK_EVERY_SECONDS: Final = 0.2
PROGRESS_NAME: Final = "answering"

log = logging.getLogger(__name__)
_quiet = logging.getLogger("precede.answering.client")
_quiet.addHandler(logging.NullHandler())
_quiet.propagate = False


def wall_clock_ms() -> int:
    """The time by which a request is too old."""
    return time.time_ns() // 1_000_000


class Answering(Beside):
    """Started and stopped by the job."""

    def __init__(
        self,
        kafka: KafkaSettings,
        *,
        tables_directory: str,
        clock_ms: Callable[[], int] = wall_clock_ms,
    ) -> None:
        super().__init__("answering")
        self._kafka = kafka
        self._history = History(tables_directory)
        self._clock_ms = clock_ms
        self.counts: Counter[str] = Counter()
        """requests by what became of them, `pages` and `messages`"""

    def _run(self) -> None:
        from confluent_kafka import Consumer, KafkaException, Producer

        name = f"{self._kafka.topic_prefix}-{PROGRESS_NAME}"
        consumer = Consumer(progress_options(self._kafka, name=name), logger=_quiet)
        producer = Producer(producer_options(self._kafka), logger=_quiet)
        is_following = False
        with closing(consumer), ThreadPoolExecutor(ANSWERS_AT_ONCE, "answers") as pool:
            while not self._is_over.is_set():
                try:
                    if not is_following:
                        self._follow(consumer)
                        is_following = True
                    self._round(consumer, producer, pool)
                except KafkaException as error:
                    log.warning("requests of members wait for the broker: %s", error)
                    self._is_over.wait(LOOK_EVERY_SECONDS * 10)
                except Exception:
                    # Whatever it was, members that hear nothing ask again; the job goes on.
                    log.exception("a round of answers failed")
                    self._is_over.wait(LOOK_EVERY_SECONDS * 10)

    def _follow(self, consumer: Consumer) -> None:
        """Go on where an earlier start came to, or at the beginning of what is kept."""
        from confluent_kafka import TopicPartition

        topic = self._kafka.topics.requests
        numbers = range(self._kafka.shards.number_of_shards)
        asked = [TopicPartition(topic, number) for number in numbers]
        starts = []
        for place in consumer.committed(asked, timeout=BROKER_PATIENCE_SECONDS):
            low, high = consumer.get_watermark_offsets(place, timeout=BROKER_PATIENCE_SECONDS)
            starts.append(TopicPartition(topic, place.partition, min(high, max(low, place.offset))))
        consumer.assign(starts)

    def _round(self, consumer: Consumer, producer: Producer, pool: ThreadPoolExecutor) -> None:
        messages = consumer.consume(REQUESTS_AT_ONCE, timeout=LOOK_EVERY_SECONDS)
        taken = [message for message in messages if message.error() is None]
        if not taken:
            return
        newest: dict[tuple[str, str], Asked] = {}
        for message in taken:
            maybe_asked = self._read(message)
            if maybe_asked is not None:
                key = (maybe_asked.requester, maybe_asked.group)
                if key in newest:
                    self.counts["superseded"] += 1
                if key not in newest or newest[key].request_seq < maybe_asked.request_seq:
                    newest[key] = maybe_asked
        if newest:
            problem = self._refresh()
            done = pool.map(lambda one: self._answer(one, producer, problem), newest.values())
            for counts in done:
                self.counts += counts
            if producer.flush(BROKER_PATIENCE_SECONDS):
                log.warning("answers to members wait for the broker; members ask again")
                return
        consumer.commit(offsets=_reached(taken), asynchronous=False)

    def _read(self, message: Message) -> Asked | None:
        """What a record asks for; None for one that asks nothing, or too long ago."""
        _, written_at_ms = message.timestamp()
        if self._clock_ms() - written_at_ms > STALE_MS:
            self.counts["stale"] += 1
            return None
        try:
            asked = read_request(bytes(message.value() or b""))
        except WireError as error:
            self.counts["malformed"] += 1
            log.warning("a record of the requests topic is no request: %s", error)
            return None
        return asked

    def _refresh(self) -> str:
        """See the table as it is now; gives the problem, if there is one."""
        try:
            self._history.refresh()
        except DestinationError as error:
            log.warning("members cannot be answered from the tables: %s", error)
            return f"the service cannot read its history: {error}"
        return ""

    def _answer(self, asked: Asked, producer: Producer, problem: str) -> Counter[str]:
        """Answer one request, in a thread of the pool; gives what is to be counted."""
        counts: Counter[str] = Counter(answered=1)
        pages = [page_of_problem(asked, problem)] if problem else answers(self._history, asked)
        for page in pages:
            self._write(page, producer)
            counts["pages"] += 1
            counts["messages"] += len(page.messages)
        return counts

    def _write(self, page: Page, producer: Producer) -> None:
        value, key = encode_page(page), page.requester.encode()
        while True:
            try:
                producer.produce(self._kafka.topics.answers, value=value, key=key)
            except BufferError:  # its queue is full: let it send
                producer.poll(LOOK_EVERY_SECONDS)
            else:
                producer.poll(0)
                return


def read_request(value: bytes) -> Asked:
    """Read a record of the requests topic. Raises WireError and nothing else."""
    envelope = decode(value)
    if envelope.kind is not Kind.SYNCHRONISATION:
        raise _not_a_request(f"an envelope of kind {envelope.kind.name.lower()}")
    body = decode_synchronisation(envelope.payload)
    if not isinstance(body, Request):
        raise _not_a_request(f"a {type(body).__name__.lower()}")
    return Asked(envelope.group, envelope.sender, envelope.seq, body)


def answers(history: Envelopes, asked: Asked) -> Iterator[Page]:
    """The pages for a request; if it cannot be answered, one that says so instead of the rest."""
    try:
        yield from pages_of(history, asked)
    except DestinationError as error:
        log.warning("%s in %s is not answered: %s", asked.requester, asked.group, error)
        yield page_of_problem(asked, f"the service cannot read its history: {error}")
    except Exception:
        log.exception("%s in %s is not answered", asked.requester, asked.group)
        yield page_of_problem(asked, "the service failed at this request; its log has the reason")


def _not_a_request(what: str) -> WireError:
    return WireError(WireReason.BAD_BODY, f"{what} in the topic of requests")


def _reached(messages: list[Message]) -> list[TopicPartition]:
    """Where to go on in each partition after these records."""
    from confluent_kafka import TopicPartition

    ends: dict[tuple[str, int], int] = {}
    for message in messages:
        place = (str(message.topic()), int(message.partition() or 0))
        ends[place] = max(ends.get(place, 0), int(message.offset() or 0) + 1)
    return [TopicPartition(topic, partition, end) for (topic, partition), end in ends.items()]
