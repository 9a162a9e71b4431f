"""Ordered records and rows of the table, as the job writes them, for tests of their readers."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa
from confluent_kafka import Producer
from deltalake import write_deltalake

from ingest.wire.envelope import decode
from sinks.decoding import PROBLEM, arrow_schema, delivery_row
from sinks.errors import RecordError
from sinks.kafka_client import producer_options
from sinks.records import MarkBits, OrderedRecord, Origin, decode_ordered, encode_ordered
from sinks.settings import KafkaSettings
from sinks.tables import DELIVERIES
from tests.messages import wire


def ordered_value(
    ordinal: int, *, partition: int = 0, group: str = "g", position: int = 0
) -> bytes:
    """One delivery; its position is its ordinal unless the test says otherwise."""
    envelope = wire("a", position or ordinal, group=group, payload=f"{group} {ordinal}".encode())
    origin = Origin(ordinal - 1, 0, 1_000 * ordinal)
    record = OrderedRecord(ordinal, position or ordinal, partition, origin, MarkBits.NONE, envelope)
    return encode_ordered(record)


def write_ordered(
    kafka: KafkaSettings, ordinals: Iterable[int], *, partition: int = 0, group: str = "g"
) -> None:
    """Append deliveries to one partition of the ordered topic, in the order given."""
    write_values(
        kafka,
        [ordered_value(ordinal, partition=partition, group=group) for ordinal in ordinals],
        partition=partition,
    )


def write_values(kafka: KafkaSettings, values: Iterable[bytes], *, partition: int = 0) -> None:
    """Append any bytes to one partition of the ordered topic, with the group as the key."""
    producer = Producer(producer_options(kafka))
    for value in values:
        key = _group_of(value)
        producer.produce(kafka.topics.ordered, value=value, key=key, partition=partition)
        producer.poll(0)
    assert producer.flush(30) == 0


def _group_of(value: bytes) -> bytes:
    try:
        return decode(decode_ordered(value).envelope).group.encode()
    except RecordError:
        return b""


def write_table(
    directory: str, ordinals: Iterable[int], *, partition: int = 0, group: str = "g"
) -> None:
    """Append the same deliveries to the table `deliveries`."""
    values = [ordered_value(number, partition=partition, group=group) for number in ordinals]
    write_table_of(directory, values)


def write_table_of(directory: str, values: Iterable[bytes]) -> None:
    """Append what records of the ordered topic come to to the table `deliveries`."""
    schema = arrow_schema(DELIVERIES)
    rows = pa.Table.from_pylist([delivery_row(b"", value) for value in values], schema=schema)
    write_deltalake(DELIVERIES.path(directory), rows.drop_columns([PROBLEM]), mode="append")
