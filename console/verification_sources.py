"""Feed a verification from the real topics and tables."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator, Mapping
from enum import StrEnum
from typing import NamedTuple

from console.verification import Verification
from console.verification_expiry import Expiry
from console.verification_report import Report, together
from console.verification_rules import SEMANTIC
from console.verification_values import DeliveryRow
from ingest.wire.bundle import entries_of
from ingest.wire.envelope import is_tick
from ordering_udfs.group_policies import GroupPolicies
from sinks.kafka_client import TopicRecord, read_topic
from sinks.membership import MembershipRecord, decode_membership
from sinks.records import (
    Counters,
    OrderedRecord,
    QuarantineRecord,
    decode_counters,
    decode_ordered,
    decode_quarantine,
)
from sinks.second_client import read_topic_again
from sinks.settings import KafkaSettings
from sinks.shards import Shards
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, WAITS, Table
from sinks.waits import WaitRecord, decode_wait

_COORDINATES = ("raw_partition", "raw_offset", "raw_entry")


class Client(StrEnum):
    """The Kafka clients that can read the topics: two that share no line."""

    CONFLUENT = "confluent"
    KAFKA_PYTHON = "kafka-python"


ReadTopic = Callable[[KafkaSettings, str], Iterator[TopicRecord]]
_READERS: dict[Client, ReadTopic] = {
    Client.CONFLUENT: read_topic,
    Client.KAFKA_PYTHON: read_topic_again,
}


def verify_sources(
    kafka: KafkaSettings,
    tables_directory: str,
    *,
    client: Client = Client.CONFLUENT,
    policies: GroupPolicies = SEMANTIC,
    retention: Mapping[str, int] | None = None,
) -> Report:
    """Read everything, tables first and the raw topics last (see `Verification`), and compare.

    Each raw topic is judged by itself, since a group lives in one of them.
    """
    topics = kafka.topics
    read = _READERS[client]
    counters = _counters(read(kafka, topics.counters))
    found = _Found(
        deliveries=list(_deliveries(tables_directory)),
        quarantine_rows=_numbers(tables_directory, QUARANTINE),
        wait_rows=_numbers(tables_directory, WAITS),
        membership_rows=_numbers(tables_directory, MEMBERSHIP),
        ordered=[decode_ordered(record.value) for record in read(kafka, topics.ordered)],
        quarantine=[decode_quarantine(record.value) for record in read(kafka, topics.quarantine)],
        waits=[decode_wait(record.value) for record in read(kafka, topics.waits)],
        membership=[decode_membership(record.value) for record in read(kafka, topics.membership)],
    )
    now = time.time_ns() // 1_000
    reports: list[Report] = []
    groups: dict[str, set[str]] = {}
    for topic, first in kafka.shards.firsts().items():
        verification = Verification(
            counters=counters, policies=policies, expiry=Expiry(retention, now=now)
        )
        _take_raw(verification, read(kafka, topic), first=first)
        _compare(verification, found.of(kafka.shards, topic))
        reports.append(verification.report())
        groups[topic] = verification.groups()
    return together(reports, groups=groups)


class _Found(NamedTuple):
    """What topics and tables have, but for the raw topics."""

    deliveries: list[DeliveryRow]
    quarantine_rows: list[tuple[int, int]]
    wait_rows: list[tuple[int, int]]
    membership_rows: list[tuple[int, int]]
    ordered: list[OrderedRecord]
    quarantine: list[QuarantineRecord]
    waits: list[WaitRecord]
    membership: list[MembershipRecord]

    def of(self, shards: Shards, topic: str) -> _Found:
        """What came of one raw topic."""
        first = shards.number(topic, 0)
        # What is of no topic counts as the last one's, where it will be found to be wrong.
        is_last = topic == list(shards.topics)[-1]
        mine = range(first, sys.maxsize if is_last else first + shards.topics[topic])
        return _Found(
            [row for row in self.deliveries if row.coordinates[0] in mine],
            [row for row in self.quarantine_rows if row[0] in mine],
            [row for row in self.wait_rows if row[0] in mine],
            [row for row in self.membership_rows if row[0] in mine],
            [record for record in self.ordered if record.partition in mine],
            [record for record in self.quarantine if record.partition in mine],
            [record for record in self.waits if record.partition in mine],
            [record for record in self.membership if record.partition in mine],
        )


def _take_raw(verification: Verification, records: Iterator[TopicRecord], *, first: int) -> None:
    for record in records:
        if is_tick(record.value):
            continue
        shard = first + record.partition
        for number, entry in enumerate(entries_of(record.value, captured_at=0)):
            verification.take_raw((shard, record.offset, number), entry.content)


def _compare(verification: Verification, found: _Found) -> None:
    verification.take_ordered(found.ordered)
    verification.take_quarantine(found.quarantine)
    verification.take_deliveries(found.deliveries)
    verification.take_quarantine_rows(found.quarantine_rows)
    verification.take_waits(found.waits, found.wait_rows)
    verification.take_membership(found.membership, found.membership_rows)


def newest_counters(kafka: KafkaSettings) -> dict[int, Counters]:
    """The job's newest word on each shard."""
    return _counters(read_topic(kafka, kafka.topics.counters))


def _counters(records: Iterator[TopicRecord]) -> dict[int, Counters]:
    """The job's newest word on each partition."""
    newest: dict[int, Counters] = {}
    for record in records:
        counters = decode_counters(record.value)
        newest[counters.partition] = counters
    return newest


def _numbers(directory: str, table: Table) -> list[tuple[int, int]]:
    """The raw partition and ordinal of each row."""
    rows = read_rows(directory, table, columns=("raw_partition", "ordinal"))
    return [(row[0], row[1]) for row in rows]


def _deliveries(directory: str) -> Iterator[DeliveryRow]:
    columns = ("group", "position", "id", "payload", *_COORDINATES, "ordinal")
    for group, position, id_, payload, partition, offset, entry, ordinal in read_rows(
        directory, DELIVERIES, columns=columns
    ):
        yield DeliveryRow(group, position, id_, payload, (partition, offset, entry), ordinal)
