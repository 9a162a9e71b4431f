"""Every option name of the Kafka client library, and the few calls that reading topics needs.

The agent's producer, `verify`, the demo and the job's start all get their options here, so that a
site's security settings reach every client.
"""

from __future__ import annotations

import logging
import re
import socket
import time
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from sinks.cloud_events import envelope_form
from sinks.errors import DestinationError
from sinks.settings import KafkaSettings, SecurityProtocol
from sinks.shards import Shards

if TYPE_CHECKING:
    from confluent_kafka import Consumer, KafkaError, Message

# How long a command waits for a broker before it says that there is none.
BROKER_PATIENCE_SECONDS = 10.0
RETRY_SECONDS = 0.1
# Records taken from the client at once: large enough to hide the call, small enough to stay live.
RECORDS_PER_POLL = 1_000
_MICROSECONDS_PER_MILLISECOND = 1_000
# How long the last records of a partition are waited for with others that do not come.
POLL_SECONDS = 0.05

# The library writes "connection refused" lines of its own to standard error; ours say what to do.
quiet_log = logging.getLogger("precede.kafka")
quiet_log.addHandler(logging.NullHandler())
quiet_log.propagate = False


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
        # Two would lose messages in silence: where the first request of a session fails because a
        # partition has no leader yet, and the second one comes through, the client takes the first
        # one for written too; the broker, who does not know the session, takes any number for its
        # beginning. A request holds up to a megabyte, so one at a time is enough.
        "max.in.flight.requests.per.connection": 1,
        "partitioner": "murmur2_random",
        **pace_options(),
    }


def pace_options(*, linger_ms: int = 5, compression: str = "lz4") -> dict[str, Any]:
    """How long a record may wait for others, and how they are compressed together."""
    return {"compression.type": compression, "linger.ms": linger_ms}


def consumer_options(kafka: KafkaSettings) -> dict[str, Any]:
    """Read a topic on our own account: nothing is committed, no group is joined."""
    return client_options(kafka) | {
        "group.id": "precede-reader",
        "enable.auto.commit": False,
        "auto.offset.reset": "error",
        "enable.partition.eof": False,
        "isolation.level": "read_committed",
    }


def progress_options(kafka: KafkaSettings, *, name: str) -> dict[str, Any]:
    """Read a topic and note in Kafka how far one has come, under a name of one's own."""
    return consumer_options(kafka) | {"group.id": name, "auto.offset.reset": "earliest"}


_CLIENT_WORDS = re.compile(r"^\S+://\S+: |, verify that .*$| \(after \d.*$", re.DOTALL)


def maybe_refusal(error: KafkaError) -> str | None:
    """What an operator can mend about a connection that a client complains of, in a sentence.

    The client itself only tries again and again, and says in the end that nobody answered.
    """
    from confluent_kafka import KafkaError

    # Not the address before it, nor the times and the client's own words for settings behind it.
    said = _CLIENT_WORDS.sub("", error.str())
    if error.code() == KafkaError._AUTHENTICATION:
        return (
            f"the broker refuses the name or the password ({said}); "
            "correct kafka.username, or what stands in kafka.password_file"
        )
    if error.code() == KafkaError._SSL:
        return (
            f"no TLS connection to the broker can be trusted ({said}); "
            "correct kafka.ca_file, kafka.bootstrap or kafka.security_protocol"
        )
    return None


def why_refused(options: Mapping[str, Any], *, within_seconds: float = 10.0) -> str | None:
    """Try to connect once more and listen: the sentence of `maybe_refusal`, or None if nobody is
    there. Called when a client has waited in vain.
    """
    from confluent_kafka import Producer

    if options["security.protocol"] == SecurityProtocol.PLAINTEXT.value:
        if not _is_listening(str(options["bootstrap.servers"])):
            return None
        return (
            "somebody listens there and does not answer; if the broker asks for TLS or a password "
            "set kafka.security_protocol, else look after the broker"
        )
    reasons: list[str | None] = []
    probe = Producer(
        {**options, "error_cb": lambda error: reasons.append(maybe_refusal(error))},
        logger=quiet_log,
    )
    deadline = time.monotonic() + within_seconds
    while not any(reasons) and time.monotonic() < deadline:
        probe.poll(RETRY_SECONDS)
    return next(filter(None, reasons), None)


def _is_listening(bootstrap: str) -> bool:
    host, _, port = bootstrap.partition(",")[0].rpartition(":")
    try:
        with socket.create_connection((host.strip("[]"), int(port)), timeout=1.0):
            return True
    except OSError:
        return False


def tail_options(kafka: KafkaSettings) -> dict[str, Any]:
    """Look at the end of a topic now and then: fetch little ahead, start at the end if lost."""
    return consumer_options(kafka) | {
        "auto.offset.reset": "latest",
        "queued.max.messages.kbytes": 1_024,
        "fetch.message.max.bytes": 262_144,
    }


class TopicRecord(NamedTuple):
    """One record as it stands in a topic; a cloud event as the record that it was made of."""

    partition: int
    offset: int
    key: bytes
    value: bytes
    written_at: int = 0
    """The broker's time of the record, in microseconds."""


def partition_count(kafka: KafkaSettings, topic: str) -> int:
    """How many partitions a topic has; `DestinationError` if there is no broker or no topic."""
    consumer = open_reader(kafka)
    try:
        return len(partitions_of(consumer, kafka, topic))
    finally:
        consumer.close()


def raw_shards(kafka: KafkaSettings) -> Shards:
    """The raw topics with the partitions that they really have.

    Raises `DestinationError` if that is not what `kafka.raw_topics` says: the shards behind would
    have other numbers than those that the job gave them.
    """
    found = {topic: partition_count(kafka, topic) for topic in kafka.shards.topics}
    if kafka.raw_topics and found != kafka.shards.topics:
        are, say = (
            ", ".join(f"{topic}={number}" for topic, number in topics.items())
            for topics in (found, kafka.shards.topics)
        )
        raise DestinationError(
            f"the raw topics are {are}, and kafka.raw_topics says {say}: say there how many "
            "partitions each has"
        )
    return Shards.of(found)


def end_offsets(kafka: KafkaSettings, topic: str) -> dict[int, int]:
    """For each partition, the offset that the next record will get."""
    consumer = open_reader(kafka)
    try:
        return {
            partition: watermarks(consumer, kafka, topic, partition)[1]
            for partition in partitions_of(consumer, kafka, topic)
        }
    finally:
        consumer.close()


def read_topic(
    kafka: KafkaSettings, topic: str, *, newest: int | None = None
) -> Iterator[TopicRecord]:
    """Every record that the topic holds now, partition by partition in offset order.

    With `newest` only so many of each partition, or a few less.
    """
    from confluent_kafka import TopicPartition

    consumer = open_reader(kafka, **_READ_TO_THE_END)
    try:
        for partition in partitions_of(consumer, kafka, topic):
            low, high = watermarks(consumer, kafka, topic, partition)
            if newest is not None:
                low = max(low, high - newest)
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

    consumer = open_reader(kafka)
    try:
        starts = [
            TopicPartition(topic, partition, watermarks(consumer, kafka, topic, partition)[0])
            for partition in partitions_of(consumer, kafka, topic)
        ]
        consumer.assign(starts)
        while not is_over():
            yield [
                record_of(message)
                for message in consumer.consume(RECORDS_PER_POLL, timeout=wait_seconds)
                if message.error() is None
            ]
    finally:
        consumer.close()


# A broker holds a question for more records back for half a second if there are none, and the next
# partition can't be asked for meanwhile.
_READ_TO_THE_END = {"fetch.wait.max.ms": 10}


def open_reader(kafka: KafkaSettings, **more: int) -> Consumer:
    """A client of the library that reads; whoever opens it closes it."""
    from confluent_kafka import Consumer

    return Consumer(consumer_options(kafka) | more, logger=quiet_log)


def partitions_of(consumer: Consumer, kafka: KafkaSettings, topic: str) -> list[int]:
    """The numbers of a topic's partitions; `DestinationError` if there is no broker or no topic."""
    from confluent_kafka import KafkaException

    try:
        metadata = consumer.list_topics(topic, timeout=BROKER_PATIENCE_SECONDS)
    except KafkaException as error:
        raise no_broker(kafka) from error
    found = metadata.topics[topic]
    if found.error is not None or not found.partitions:
        raise DestinationError(
            f"the broker at {kafka.bootstrap} has no topic {topic}: "
            "is kafka.topic_prefix right, and has the agent or the job been started once?"
        )
    return sorted(found.partitions)


def watermarks(
    consumer: Consumer, kafka: KafkaSettings, topic: str, partition: int
) -> tuple[int, int]:
    """The oldest offset that a partition still has, and the one that its next record will get."""
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
                raise no_broker(kafka) from error
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
        messages = consumer.consume(RECORDS_PER_POLL, timeout=POLL_SECONDS)
        for message in messages:
            if message.error() is not None:
                raise DestinationError(f"{topic} cannot be read: {message.error()}")
            record = record_of(message)
            if record.offset < end:
                yield record
        position = consumer.position([TopicPartition(topic, partition)])[0].offset
        if position >= end:
            return
        if messages:
            silent_since = time.monotonic()
        elif time.monotonic() - silent_since > BROKER_PATIENCE_SECONDS:
            raise no_broker(kafka)


def record_of(message: Message) -> TopicRecord:
    """The library's message as a value."""
    return TopicRecord(
        int(message.partition() or 0),
        int(message.offset() or 0),
        bytes(message.key() or b""),
        envelope_form(bytes(message.value() or b""), message.headers()),
        max(0, message.timestamp()[1]) * _MICROSECONDS_PER_MILLISECOND,
    )


def no_broker(kafka: KafkaSettings) -> DestinationError:
    """Say why a broker can't be reached, as far as that can be found out, and what to do."""
    maybe_reason = why_refused(client_options(kafka))
    if maybe_reason is not None:
        return DestinationError(f"Kafka at {kafka.bootstrap} can't be used: {maybe_reason}")
    return DestinationError(
        f"no broker answers at {kafka.bootstrap}: start it (precede broker), "
        "or set kafka.bootstrap to where it is"
    )
