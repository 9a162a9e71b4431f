"""Put records into topics and read them back, for tests with the real broker."""

from __future__ import annotations

import itertools
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import replace

from confluent_kafka import Producer

from deploy.local.topics import create_topics, precede_topics
from ingest.wire.bundle import entries_of, pack
from ingest.wire.envelope import decode, encode, tick
from ingest.wire.errors import WireError
from ingest.wire.partition import partition_of
from ordering.values import GroupId
from sinks.kafka_client import producer_options, read_topic
from sinks.records import OrderedRecord, decode_ordered
from sinks.settings import KafkaSettings
from tests.oracle import semantic_order

_numbers = itertools.count(1)


def new_topics(bootstrap: str, *, partitions: int = 2) -> KafkaSettings:
    """Fresh topics under a prefix that no other test uses."""
    prefix = f"test-{os.getpid()}-{next(_numbers)}"
    create_topics(bootstrap, precede_topics(prefix=prefix, partitions=partitions))
    return KafkaSettings(bootstrap=bootstrap, topic_prefix=prefix, partitions=partitions)


def two_raw_topics(bootstrap: str) -> KafkaSettings:
    """Fresh topics of a job with two raw topics: a northern one with two partitions, and a southern
    one with one.
    """
    prefix = f"test-{os.getpid()}-{next(_numbers)}"
    raw_topics = {f"{prefix}.north": 2, f"{prefix}.south": 1}
    specs = precede_topics(prefix=prefix, partitions=0, raw_topics=raw_topics)
    create_topics(bootstrap, specs)
    return KafkaSettings(
        bootstrap=bootstrap,
        topic_prefix=prefix,
        raw_topics=tuple(f"{topic}={number}" for topic, number in raw_topics.items()),
    )


def alone(kafka: KafkaSettings, topic: str) -> KafkaSettings:
    """The settings of an agent, and of the oracle, that knows only one of the raw topics."""
    return replace(kafka, raw_topics=(f"{topic}={kafka.shards.topics[topic]}",))


def produce(kafka: KafkaSettings, values: Iterable[bytes]) -> None:
    """Write to the raw topic as an agent does: the key is the group, junk has an empty key."""
    topic = kafka.topics.raw
    produce_to(kafka, topic, ((_group_of(value), value) for value in values))


def produce_to(kafka: KafkaSettings, topic: str, records: Iterable[tuple[bytes, bytes]]) -> None:
    """Write keys and values to any topic."""
    producer = Producer(producer_options(kafka))
    for key, value in records:
        producer.produce(topic, value=value, key=key)
        producer.poll(0)
    assert producer.flush(30) == 0


def produce_packed(kafka: KafkaSettings, values: Iterable[bytes], *, entries: int) -> None:
    """Write to the raw topic in bundles of so many entries, each of one partition."""
    producer = Producer(producer_options(kafka))
    waiting: dict[int, list[tuple[int, bytes]]] = defaultdict(list)
    for number, value in enumerate(values):
        partition = partition_of(GroupId(_group_of(value).decode()), kafka.partitions)
        waiting[partition].append((number, value))
        if len(waiting[partition]) == entries:
            packed = pack(waiting.pop(partition))
            producer.produce(kafka.topics.raw, value=packed, partition=partition)
    for partition, rest in waiting.items():
        producer.produce(kafka.topics.raw, value=pack(rest), partition=partition)
    assert producer.flush(30) == 0


def produce_ticks(kafka: KafkaSettings, *, at: int) -> None:
    """Move the log's time on in every partition, as the job does."""
    producer = Producer(producer_options(kafka))
    for partition in range(kafka.partitions):
        producer.produce(kafka.topics.raw, value=encode(tick(at)), partition=partition)
    assert producer.flush(30) == 0


def _group_of(value: bytes) -> bytes:
    try:
        return decode(value).group.encode()
    except WireError:
        return b""


def expected_order(kafka: KafkaSettings) -> dict[str, list[bytes]]:
    """What the raw topic must come to, by the oracle."""
    log: dict[int, list[bytes]] = defaultdict(list)
    for record in read_topic(kafka, kafka.topics.raw):
        entries = entries_of(record.value, captured_at=0)
        log[record.partition].extend(entry.content for entry in entries)
    expected: dict[str, list[bytes]] = {}
    for values in log.values():
        expected.update(semantic_order(values))
    return expected


def delivered_order(kafka: KafkaSettings) -> dict[str, list[bytes]]:
    """What the ordered topic holds, by position, with repeats dropped; checks their sameness."""
    last: dict[int, OrderedRecord] = {}
    kept: dict[tuple[int, int], OrderedRecord] = {}
    sequences: dict[str, list[bytes]] = defaultdict(list)
    for stored in read_topic(kafka, kafka.topics.ordered):
        record = decode_ordered(stored.value)
        assert record.partition == stored.partition
        maybe_last = last.get(record.partition)
        if maybe_last is not None and record.ordinal <= maybe_last.ordinal:
            assert kept[record.partition, record.ordinal] == record
            continue
        assert record.ordinal == (1 if maybe_last is None else maybe_last.ordinal + 1)
        last[record.partition] = kept[record.partition, record.ordinal] = record
        sequence = sequences[decode(record.envelope).group]
        sequence.append(record.envelope)
        assert record.position == len(sequence)
    return dict(sequences)
