"""A small service at hand for the page's tests: real topics, the real shard, real tables, no Spark.

What is said goes to the raw topic of the real broker; `order` takes what has come there through the
job's own shard and writes its records to the topics, as the job does; `keep` writes what the topics
hold into Delta tables. So every byte that the page reads is one that the job would have written.
"""

from __future__ import annotations

import time
from pathlib import Path

import pyarrow as pa
from confluent_kafka import Producer
from deltalake import write_deltalake

from ingest.wire.envelope import Envelope, Kind, encode, tick
from ingest.wire.partition import partition_of
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MemberId, MessageId
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from sinks.decoding import PROBLEM, ROW_FUNCTIONS, arrow_schema
from sinks.kafka_client import TopicRecord, producer_options, read_topic
from sinks.records import encode_counters
from sinks.settings import KafkaSettings
from sinks.tables import TABLES
from tests.topic_tools import new_topics

FIRST_AT = 1_760_000_000_000_000
SECOND = 1_000_000


def said(
    sender: str, seq: int, *parents: tuple[str, int], text: str = "", group: str = "dev"
) -> bytes:
    """One message; names are of incarnation 1."""
    return encode(
        Envelope(
            Kind.MESSAGE,
            GroupId(group),
            MemberId(f"{sender}#1"),
            seq,
            tuple(MessageId(MemberId(f"{name}#1"), number) for name, number in parents),
            (text or f"{sender} says {seq}").encode(),
            sent_at=FIRST_AT + seq * SECOND,
        )
    )


class Desk:
    """One set of topics, and the state of the shards behind them."""

    def __init__(
        self, bootstrap: str, *, partitions: int = 1, maybe_policies: GroupPolicies | None = None
    ) -> None:
        self.kafka: KafkaSettings = new_topics(bootstrap, partitions=partitions)
        self.policies = maybe_policies or GroupPolicies(GroupPolicy(after_us=SECOND))
        self._states = [ShardState(partition=number) for number in range(partitions)]
        self._producer = Producer(producer_options(self.kafka))

    def say(self, *messages: bytes) -> None:
        """Write messages to the raw topic, as an agent does, and order them."""
        for message in messages:
            self._producer.produce(
                self.kafka.topics.raw, value=message, partition=self._of(message)
            )
            self._producer.poll(0)
        self._flush()
        self.order()

    def tick(self, *, later_by: int = 0) -> None:
        """Let a tick pass, now or so many microseconds later: what is held is told."""
        at = time.time_ns() // 1_000 + later_by
        for partition in range(len(self._states)):
            self._producer.produce(
                self.kafka.topics.raw, value=encode(tick(at)), partition=partition
            )
        self._flush()
        self.order()

    def order(self) -> None:
        """Take what the raw topic has that was not taken yet, and write what it comes to."""
        waiting: dict[int, list[TopicRecord]] = {}
        for record in read_topic(self.kafka, self.kafka.topics.raw):
            if record.offset > self._states[record.partition].through_offset:
                waiting.setdefault(record.partition, []).append(record)
        for partition, records in waiting.items():
            self._order(partition, records)
        self._flush()

    def _order(self, partition: int, records: list[TopicRecord]) -> None:
        shard = Shard(self._states[partition], policies=self.policies, partitions=len(self._states))
        now = time.time_ns() // 1_000
        shard.receive(
            RawRows(
                [record.offset for record in records],
                [now + number for number in range(len(records))],
                [record.value for record in records],
            )
        )
        self._states[partition] = shard.finish()
        topics, outputs = self.kafka.topics, shard.outputs
        for topic, column in (
            (topics.ordered, outputs.ordered),
            (topics.waits, outputs.waits),
            (topics.gaps, outputs.gaps),
            (topics.quarantine, outputs.quarantine),
            (topics.membership, outputs.membership),
        ):
            for key, value in zip(column.keys, column.values, strict=True):
                self._produce(topic, partition, key, value)
        self._produce(
            topics.counters, partition, str(partition).encode(), encode_counters(shard.counters())
        )

    def repeat(self, count: int) -> None:
        """Write the last ordered records again, as Spark's sink does after a crash."""
        records = list(read_topic(self.kafka, self.kafka.topics.ordered))[-count:]
        for record in records:
            self._produce(self.kafka.topics.ordered, record.partition, record.key, record.value)
        self._flush()

    def keep(self, directory: Path) -> None:
        """Write what the topics hold into the tables, each row once."""
        topics = self.kafka.topics
        sources = (topics.ordered, topics.quarantine, topics.waits, topics.membership)
        for table, topic in zip(TABLES, sources, strict=True):
            row_of = ROW_FUNCTIONS[table.name]
            rows = {
                (row["raw_partition"], row["ordinal"]): row
                for row in (row_of(one.key, one.value) for one in read_topic(self.kafka, topic))
            }
            schema = arrow_schema(table)
            place = schema.get_field_index(PROBLEM)
            data = pa.Table.from_pylist(list(rows.values()), schema=schema.remove(place))
            write_deltalake(table.path(str(directory)), data, mode="overwrite")

    def _produce(self, topic: str, partition: int, key: bytes, value: bytes) -> None:
        self._producer.produce(topic, value=value, key=key, partition=partition)
        self._producer.poll(0)

    def _flush(self) -> None:
        assert self._producer.flush(30) == 0

    def _of(self, message: bytes) -> int:
        from ingest.wire.envelope import decode

        return partition_of(decode(message).group, len(self._states))
