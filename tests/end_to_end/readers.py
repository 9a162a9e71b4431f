"""Readers that stay attached while everything else is killed, and keep what they saw."""

from __future__ import annotations

import hashlib
import sys
import threading
from collections import defaultdict
from functools import reduce
from operator import or_
from typing import NamedTuple, Self

from confluent_kafka import Consumer, TopicPartition
from deltalake import DeltaTable
from deltalake.exceptions import DeltaError

from sinks.kafka_client import TopicRecord, consumer_options, read_topic
from sinks.records import decode_counters, decode_ordered
from sinks.settings import KafkaSettings
from sinks.tables import DELIVERIES
from tests.end_to_end.arrivals import Arrival, Seen, judge

LOOK_EVERY_SECONDS = 0.2


class Reader(threading.Thread):
    """A thread that looks again and again until it is over; used as a context."""

    def __init__(self) -> None:
        super().__init__(daemon=True)
        self._is_over = threading.Event()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.finish()

    def finish(self) -> None:
        """End the thread; a second call does nothing."""
        self._is_over.set()
        self.join()


class TopicReader(Reader):
    """Follows a topic from its beginning."""

    def __init__(self, kafka: KafkaSettings, topic: str) -> None:
        super().__init__()
        self._kafka = kafka
        self._topic = topic
        self.arrivals: dict[int, list[Arrival]] = defaultdict(list)
        self.count = 0
        self.news = threading.Condition()

    def run(self) -> None:
        consumer = Consumer(consumer_options(self._kafka))
        partitions = range(self._kafka.partitions)
        consumer.assign([TopicPartition(self._topic, number, 0) for number in partitions])
        while not self._is_over.is_set():
            maybe_message = consumer.poll(LOOK_EVERY_SECONDS)
            if maybe_message is None or maybe_message.error() is not None:
                continue
            record = TopicRecord(
                int(maybe_message.partition() or 0),
                int(maybe_message.offset() or 0),
                bytes(maybe_message.key() or b""),
                bytes(maybe_message.value() or b""),
                maybe_message.timestamp()[1] * 1_000,
            )
            with self.news:
                self._take(record)
                self.count += 1
                self.news.notify_all()
        consumer.close()

    def _take(self, record: TopicRecord) -> None:
        """Keep nothing: whoever waits for news has them."""


class OrderedReader(TopicReader):
    """Follows the ordered topic and remembers every record, repeats and all."""

    def __init__(self, kafka: KafkaSettings) -> None:
        super().__init__(kafka, kafka.topics.ordered)

    def _take(self, record: TopicRecord) -> None:
        digest = hashlib.blake2b(record.value, digest_size=16).digest()
        arrival = Arrival(decode_ordered(record.value).ordinal, digest)
        self.arrivals[record.partition].append(arrival)

    def seen(self) -> Seen:
        """What it saw until now, judged by where the job says that its batches ended."""
        ends: dict[int, list[int]] = defaultdict(list)
        for record in read_topic(self._kafka, self._kafka.topics.counters):
            counters = decode_counters(record.value)
            ends[counters.partition].append(counters.delivered)
        with self.news:
            judged = [
                judge(arrived, batch_ends=ends[partition])
                for partition, arrived in self.arrivals.items()
            ]
        return reduce(or_, judged, Seen())


class TableSeen(NamedTuple):
    """What a reader of the table saw: all but the first three must be 0."""

    looks: int = 0
    versions: int = 0
    rows: int = 0
    duplicated: int = 0
    """rows with the partition and ordinal of another, in any version"""
    missing: int = 0
    """ordinals below the greatest that a version did not have"""
    vanished: int = 0
    """rows that an earlier version had"""
    unreadable: int = 0
    """looks at a table that was there before and could not be read"""

    @property
    def is_kept(self) -> bool:
        """Was the promise kept?"""
        return not (self.duplicated or self.missing or self.vanished or self.unreadable)


class TableReader(Reader):
    """Looks at the deliveries all the time, and counts every new version of the table."""

    def __init__(self, directory: str) -> None:
        super().__init__()
        self._path = DELIVERIES.path(directory)
        self._version = -1
        self.seen = TableSeen()

    def run(self) -> None:
        while not self._is_over.wait(LOOK_EVERY_SECONDS):
            self.look()

    def look(self) -> None:
        """Look once; a table that is not there yet has nothing to show."""
        try:
            table = DeltaTable(self._path)
            if table.version() == self._version:
                self.seen = self.seen._replace(looks=self.seen.looks + 1)
                return
            rows = table.to_pyarrow_table(columns=["raw_partition", "ordinal"])
        except (DeltaError, FileNotFoundError, OSError) as error:
            if self._version >= 0:
                print(f"the table cannot be read: {error}", file=sys.stderr)
                self.seen = self.seen._replace(unreadable=self.seen.unreadable + 1)
            return
        self._version = table.version()
        columns = [column.to_pylist() for column in rows.columns]
        self.seen = look_at(self.seen, list(zip(*columns, strict=True)))


def look_at(before: TableSeen, rows: list[tuple[int, int]]) -> TableSeen:
    """Count a new version of the table: rows as raw partition and ordinal."""
    distinct = set(rows)
    greatest: dict[int, int] = defaultdict(int)
    for partition, ordinal in distinct:
        greatest[partition] = max(greatest[partition], ordinal)
    return TableSeen(
        before.looks + 1,
        before.versions + 1,
        len(rows),
        before.duplicated + len(rows) - len(distinct),
        before.missing + sum(greatest.values()) - len(distinct),
        before.vanished + max(0, before.rows - len(rows)),
        before.unreadable,
    )
