"""The source of both queries: where the next records lie, a row for each partition.

Spark's own source brings every record through the JVM to the worker that has to do with it. This
one brings a partition and two offsets, and the worker reads the topic itself
(`sinks.worker_broker`). Spark plans, keeps and commits the same offsets, in the same form.

Spark runs the reader in a Python process of the driver and asks it at every trigger. `register` it
with the session once before `format(FORMAT)`.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import asdict
from pathlib import Path
from time import monotonic as _monotonic
from typing import Any, Final

from pyspark.sql import SparkSession
from pyspark.sql.datasource import DataSource, SimpleDataSourceStreamReader
from pyspark.sql.streaming.datasource import SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from ingest.wire.bounds import BUNDLE_ENTRIES
from ingest.wire.bundle import entries_of
from ingest.wire.envelope import is_tick
from sinks.errors import DestinationError
from sinks.protocol_client import Partition, ProtocolClient
from sinks.raw_log import no_such_offset
from sinks.record_batches import RawPiece, read_batches
from sinks.settings import KafkaSettings, SecurityProtocol
from streaming.pace import Pace
from streaming.settings import JobSettings
from streaming.stretches import Offsets, as_offsets, as_partitions, next_ends, stretches

FORMAT: Final = "precede-stretches"
SCHEMA: Final = "topic string, partition int, begin long, end long"
_KAFKA, _TOPICS, _PACE = "kafka", "topics", "pace"

MS_PER_S: Final = 1_000
_LOOKED_AT: Final = 100
"""Records that say how the next ones of a partition are packed."""
_LOOK_EVERY_SECONDS: Final = 2.0
"""Agents pack as they did a moment ago, and to look takes as long as to order many messages."""

Row = tuple[str, int, int, int]


def source_options(
    kafka: KafkaSettings, job: JobSettings, *, topics: Mapping[str, int], batches: int = 1
) -> dict[str, str]:
    """What the reader must know, as Spark carries it: the partitions of each topic, and how large
    and long a batch may be, so many times what the settings say. A password's file is named, never
    read.
    """
    settings = {
        name: str(value) if isinstance(value, Path) else value
        for name, value in asdict(kafka).items()
    }
    pace = {
        "most": batches * job.max_messages_per_batch,
        "seconds": batches * job.max_batch_ms / MS_PER_S,
        "interval": job.trigger_interval_ms / MS_PER_S,
    }
    return {_KAFKA: json.dumps(settings), _TOPICS: json.dumps(topics), _PACE: json.dumps(pace)}


def register(session: SparkSession) -> None:
    """Make the source known to a session; to do so again does no harm."""
    session.dataSource.register(StretchSource)


class StretchSource(DataSource):
    """Made by Spark, in the driver and in the reader's process."""

    @classmethod
    def name(cls) -> str:
        """How a query names it."""
        return FORMAT

    def schema(self) -> str:
        """The columns of its rows."""
        return SCHEMA

    def simpleStreamReader(self, schema: StructType) -> StretchReader:  # noqa: N802, ARG002
        """The reader, with the settings that the query gave."""
        return StretchReader(
            _kafka_of(self.options[_KAFKA]),
            topics=json.loads(self.options[_TOPICS]),
            pace=Pace(**json.loads(self.options[_PACE])),
        )


class StretchReader(SimpleDataSourceStreamReader, SupportsTriggerAvailableNow):
    """Answers Spark's questions; its names and signatures are Spark's."""

    def __init__(self, kafka: KafkaSettings, *, topics: Mapping[str, int], pace: Pace) -> None:
        self._pace = pace
        self._client = ProtocolClient(kafka)
        self._partitions = [
            Partition(topic, number) for topic, count in topics.items() for number in range(count)
        ]
        self._packing: dict[Partition, float] = {}
        self._look_again_at = 0.0
        self._maybe_last: dict[Partition, int] | None = None
        """where a run that shall end, ends"""

    def initialOffset(self) -> Offsets:  # noqa: N802
        """The beginning of the log, for a new checkpoint."""
        return as_offsets(self._client.first_offsets(self._partitions))

    def prepareForTriggerAvailableNow(self) -> None:  # noqa: N802
        """From now on, what comes is left to the next run."""
        self._maybe_last = self._client.end_offsets(self._partitions)

    def read(self, start: Offsets) -> tuple[Iterator[Row], Offsets]:
        """The next batch, and where it ends; the same offsets again if there is nothing new."""
        begin = self._begin(start)
        self._pace.end(at=_monotonic())
        ends = self._ends(begin)
        per_record = self._per_record(begin, ends)
        ends = next_ends(begin, ends, messages=self._pace.bound, per_record=per_record)
        planned = stretches(begin, ends)
        messages = sum((one.end - one.begin) * per_record.get(one.place, 1) for one in planned)
        self._pace.begin(messages, at=_monotonic())
        return iter(planned), as_offsets(ends)

    def readBetweenOffsets(self, start: Offsets, end: Offsets) -> Iterator[Row]:  # noqa: N802
        """A batch that was planned before a crash, again."""
        return iter(stretches(self._begin(start), as_partitions(end)))

    def _begin(self, start: Offsets) -> dict[Partition, int]:
        """Where to go on; a topic that is new in the settings from its beginning."""
        begin = as_partitions(start)
        new = [one for one in self._partitions if one not in begin]
        return begin | (self._client.first_offsets(new) if new else {})

    def _ends(self, begin: Mapping[Partition, int]) -> dict[Partition, int]:
        ends = self._client.end_offsets(begin)
        for one, end in ends.items():
            if end < begin[one]:
                raise DestinationError(
                    f"partition {one.partition} of {one.topic} ends at offset {end}, and "
                    f"{begin[one]} was read: was the raw topic deleted and made anew?"
                )
        if self._maybe_last is None:
            return ends
        last = self._maybe_last
        return {one: max(begin[one], min(end, last.get(one, end))) for one, end in ends.items()}

    def _per_record(
        self, begin: Mapping[Partition, int], ends: Mapping[Partition, int]
    ) -> dict[Partition, float]:
        """How many messages a record has, where so much waits that it matters."""
        waiting = sum(ends[one] - begin[one] for one in ends)
        if waiting * BUNDLE_ENTRIES <= self._pace.bound:
            return {}
        is_due = _monotonic() > self._look_again_at
        for one, end in ends.items():
            if begin[one] < end and (is_due or one not in self._packing):
                # What comes next, and what came last: of a day, the night and the noon.
                places = {begin[one], max(begin[one], end - _LOOKED_AT)}
                self._packing[one] = max(self._packing_at(one, place) for place in places)
        if is_due:
            self._look_again_at = _monotonic() + _LOOK_EVERY_SECONDS
        return self._packing

    def _packing_at(self, partition: Partition, offset: int) -> float:
        try:
            fetched = self._client.fetch(partition, offset)
        except LookupError as error:
            raise no_such_offset(partition, offset) from error
        return messages_per_record(fetched, begin=offset)


def messages_per_record(fetched: bytes, *, begin: int) -> float:
    """How many messages a record has on the average, as far as these bytes of the log tell.

    Spark's bound would count a bundle as one record, and an agent packs hundreds of messages into
    one: a job that comes back after an hour would take the whole hour as one batch. Ticks do not
    count: where little is sent there is nothing else.
    """
    piece = RawPiece([], [], [])
    read_batches(fetched, piece, start=begin, end=begin + _LOOKED_AT)
    sizes = [len(entries_of(value, captured_at=0)) for value in piece.values if not is_tick(value)]
    return sum(sizes) / len(sizes) if sizes else 1


def _kafka_of(text: str) -> KafkaSettings:
    settings: dict[str, Any] = json.loads(text)
    settings["security_protocol"] = SecurityProtocol(settings["security_protocol"])
    settings["raw_topics"] = tuple(settings["raw_topics"])
    for name in ("ca_file", "password_file"):
        if settings[name] is not None:
            settings[name] = Path(settings[name])
    return KafkaSettings(**settings)
