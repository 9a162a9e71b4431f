"""A log through the engine without Spark: the same shard that the job hosts, in this process.

Used by `precede replay`. Records come out as the job would write them; they can be shown, counted,
and written as the Delta tables that the job would have made.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from console.answers.log_file import LogRecord
from ingest.wire.envelope import encode, tick
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Outputs, Records
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from sinks.kafka_client import read_topic
from sinks.records import Counters, total_counters
from sinks.settings import KafkaSettings
from sinks.shards import Shards

ROWS_AT_ONCE = 5_000
"""Raw records that are ordered together: enough for the engine's speed, little memory."""


ONE_FILE = Shards.of({"file": 1})
"""A file is one partition, in which all groups live."""


class Replayed(NamedTuple):
    """What some records of the log came to: keys and values of each topic."""

    ordered: list[tuple[bytes, bytes]]
    quarantine: list[tuple[bytes, bytes]]
    waits: list[tuple[bytes, bytes]]
    membership: list[tuple[bytes, bytes]]


class Replay:
    """One run over a log; at its end `counters` say what it came to."""

    def __init__(self, policies: GroupPolicies, *, places: Shards = ONE_FILE) -> None:
        """`places` are the raw topics that are replayed."""
        self._policies = policies
        self._places = places
        self._shards: dict[int, Shard] = {}

    def of_file(self, records: Iterable[LogRecord]) -> Iterator[Replayed]:
        """Order a file's records; all groups are in partition 0 of 1."""
        offsets = enumerate(records)
        rows = ((0, offset, record.captured_at, record.value) for offset, record in offsets)
        yield from self._of_rows(rows)

    def of_topics(self, kafka: KafkaSettings) -> Iterator[Replayed]:
        """Order what the raw topics hold now."""
        rows = (
            (first + record.partition, record.offset, record.written_at, record.value)
            for topic, first in self._places.firsts().items()
            for record in read_topic(kafka, topic)
        )
        yield from self._of_rows(rows)

    def counters(self) -> Counters:
        """The sums over all partitions; to be asked at the end."""
        for shard in self._shards.values():
            shard.finish()
        each = [shard.counters() for shard in self._shards.values()]
        return total_counters(each)

    def _of_rows(self, rows: Iterable[tuple[int, int, int, bytes]]) -> Iterator[Replayed]:
        """Rows of one partition after the other; at the end each is asked who still waits."""
        waiting: list[tuple[int, int, int, bytes]] = []
        for row in rows:
            if waiting and (len(waiting) == ROWS_AT_ONCE or waiting[0][0] != row[0]):
                yield self._order(waiting)
                waiting = []
            waiting.append(row)
        if waiting:
            yield self._order(waiting)
        for shard in self._shards.values():
            yield self._ask(shard)

    def _order(self, rows: list[tuple[int, int, int, bytes]]) -> Replayed:
        number = rows[0][0]
        maybe_shard = self._shards.get(number)
        if maybe_shard is None:
            place = self._places.place(number)
            maybe_shard = Shard(
                ShardState(partition=number),
                policies=self._policies,
                partitions=place.partitions,
                raw_partition=place.partition,
            )
            self._shards[number] = maybe_shard
        _, offsets, times, values = zip(*rows, strict=True)
        maybe_shard.receive(RawRows(list(offsets), list(times), list(values)))
        return _taken(maybe_shard.outputs)

    def _ask(self, shard: Shard) -> Replayed:
        """A tick of our own, at the log's own time: it gives nothing up and tells who waits."""
        state = shard.state
        offset = state.through_offset + 1
        shard.receive(RawRows([offset], [state.now], [encode(tick(state.now))]))
        return _taken(shard.outputs)


def _taken(outputs: Outputs) -> Replayed:
    """Take the records out, so that a long log does not fill the memory."""
    topics = (outputs.ordered, outputs.quarantine, outputs.waits, outputs.membership)
    replayed = Replayed(*(_pairs(one) for one in topics))
    outputs.gaps.keys.clear()
    outputs.gaps.values.clear()
    return replayed


def _pairs(records: Records) -> list[tuple[bytes, bytes]]:
    pairs = list(zip(records.keys, records.values, strict=True))
    records.keys.clear()
    records.values.clear()
    return pairs
