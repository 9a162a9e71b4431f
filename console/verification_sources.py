"""Feed a verification from the real topics and tables."""

from __future__ import annotations

from collections.abc import Iterator

from console.verification import DeliveryRow, Report, Verification
from sinks.kafka_client import read_topic
from sinks.records import (
    Counters,
    OrderedRecord,
    QuarantineRecord,
    decode_counters,
    decode_ordered,
    decode_quarantine,
)
from sinks.settings import KafkaSettings
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES, QUARANTINE

_COORDINATES = ("raw_partition", "raw_offset", "raw_entry")


def verify_sources(kafka: KafkaSettings, tables_directory: str) -> Report:
    """Read everything, tables first and the raw topic last (see `Verification`), and compare."""
    topics = kafka.topics
    verification = Verification(counters=_counters(kafka, topics.counters))
    deliveries = list(_deliveries(tables_directory))
    quarantine_rows = list(
        read_rows(tables_directory, QUARANTINE, columns=("raw_partition", "ordinal"))
    )
    ordered = list(_ordered(kafka, topics.ordered))
    quarantine = list(_quarantine(kafka, topics.quarantine))
    for record in read_topic(kafka, topics.raw):
        verification.take_raw((record.partition, record.offset, 0), record.value)
    verification.take_ordered(ordered)
    verification.take_quarantine(quarantine)
    verification.take_deliveries(deliveries)
    verification.take_quarantine_rows((row[0], row[1]) for row in quarantine_rows)
    return verification.report()


def _counters(kafka: KafkaSettings, topic: str) -> dict[int, Counters]:
    """The job's newest word on each partition."""
    newest: dict[int, Counters] = {}
    for record in read_topic(kafka, topic):
        counters = decode_counters(record.value)
        newest[counters.partition] = counters
    return newest


def _ordered(kafka: KafkaSettings, topic: str) -> Iterator[OrderedRecord]:
    for record in read_topic(kafka, topic):
        yield decode_ordered(record.value)


def _quarantine(kafka: KafkaSettings, topic: str) -> Iterator[QuarantineRecord]:
    for record in read_topic(kafka, topic):
        yield decode_quarantine(record.value)


def _deliveries(directory: str) -> Iterator[DeliveryRow]:
    columns = ("group", "position", "id", "payload", *_COORDINATES, "ordinal")
    for group, position, id_, payload, partition, offset, entry, ordinal in read_rows(
        directory, DELIVERIES, columns=columns
    ):
        yield DeliveryRow(group, position, id_, payload, (partition, offset, entry), ordinal)
