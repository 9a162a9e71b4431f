"""The history query: the numbered topics -> Delta tables, each row once.

The topics are ordered, quarantine, waits and membership. It runs beside the ordering query, so that
no message waits for a commit of a table. A batch says which stretches of the topics come next
(`stretch_source.py`); for each table:

1. a worker reads a stretch, and drops what the table already has: every record whose ordinal is
   not greater than the last one of its raw partition (the ordering query may write a batch again
   after a crash);
2. it decodes the rest into rows, and writes them into a file;
3. the files of all workers are committed with the number of the batch, which is taken only once
   (a crash between Delta's commit and Spark's makes Spark run the batch again).

Either of 1 and 3 is enough for its own fault; together they cover both, and the loss of this
query's checkpoint too.

A worker writes files only where the tables are in a folder. Behind a URI, Spark knows how to get
there, so Spark writes the rows.
"""

from __future__ import annotations

import logging
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple, Protocol

from sinks.decoding import PROBLEM, RECORD_COLUMNS, decoding_function
from sinks.new_records import NewRecords
from sinks.settings import KafkaSettings
from sinks.shards import Place
from sinks.table_commits import commit_files
from sinks.table_files import FILE_SCHEMA, TableFile, write_file
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, WAITS, Table, append, last_ordinals
from sinks.worker_broker import WorkerBroker
from streaming.crash_points import CrashPoint, pass_crash_point
from streaming.settings import JobSettings
from streaming.spark_options import QUERY_ID_PROPERTY, table_write_options
from streaming.stretch_source import FORMAT, register, source_options
from streaming.stretches import Stretch
from streaming.told import Told, told_by_workers

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.accumulators import Accumulator
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

QUERY_NAME = "precede-history"

ORDERING_BATCHES = 2
"""How much of the ordering query's output one batch may take: a commit of a table costs half a
second whatever it holds, so a history that has fallen behind catches up in larger steps."""

log = logging.getLogger(__name__)


def history_writer(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings
) -> DataStreamWriter:
    """The query, ready to be given a checkpoint and a trigger and to be started."""
    topics = kafka.topics
    tables = {
        topic: TableHistory(table, directory=job.tables_directory)
        for topic, table in (
            (topics.ordered, DELIVERIES),
            (topics.quarantine, QUARANTINE),
            (topics.waits, WAITS),
            (topics.membership, MEMBERSHIP),
        )
    }
    broker = WorkerBroker(kafka)

    def write(batch: DataFrame, number: int) -> None:
        writer = writer_of(batch)
        by_topic: dict[str, list[Records]] = defaultdict(list)
        for row in batch.collect():
            stretch = Stretch(*row)
            by_topic[stretch.topic].append(InTopic(broker, stretch))
        # Leave alone what the topics have nothing new for: most batches quarantine nothing.
        for topic, table in tables.items():
            if by_topic[topic]:
                table.write(batch.sparkSession, by_topic[topic], writer=writer, batch=number)
            if table.table is DELIVERIES:
                pass_crash_point(CrashPoint.AFTER_DELIVERIES_COMMIT)
        pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT)

    register(session)
    partitions = dict.fromkeys(tables, kafka.shards.number_of_shards)
    options = source_options(kafka, job, topics=partitions, batches=ORDERING_BATCHES)
    return (
        session.readStream.format(FORMAT)
        .options(**options)
        .load()
        .writeStream.queryName(QUERY_NAME)
        .outputMode("append")
        .foreachBatch(write)
    )


class Records(Protocol):
    """Some records of one topic, in their order; travels to the worker that reads them."""

    def read(self) -> Iterator[pa.RecordBatch]:
        """The records, as `decoding_function` takes them."""


class InTopic(NamedTuple):
    """Those of one stretch."""

    broker: WorkerBroker
    stretch: Stretch

    def read(self) -> Iterator[pa.RecordBatch]:
        """Read them from the broker, piece by piece."""
        import pyarrow as pa

        topic, partition, begin, end = self.stretch
        place = Place(topic, partition, partition + 1)
        for piece in self.broker.read_whole(place, start=begin, end=end):
            if piece.keys:
                columns = map(pa.concat_arrays, (piece.keys, piece.values, piece.facts))
                yield pa.RecordBatch.from_arrays(list(columns), names=list(RECORD_COLUMNS))


class TableHistory:
    """Writes one topic's records into one table; remembers the last ordinal of each partition."""

    def __init__(self, table: Table, *, directory: str) -> None:
        self.table = table
        self._path = table.path(directory)
        self._maybe_last: dict[int, int] | None = None

    def write(
        self, session: SparkSession, parts: Sequence[Records], *, writer: str, batch: int
    ) -> None:
        """Write a batch; a repeat of a batch, whole or in part, adds nothing.

        Each of the `parts` is read by one worker; Delta remembers by `writer` and `batch` what it
        has.
        """
        if self._maybe_last is None:
            found = last_ordinals(session, self._path)
            # A row that another program wrote may name no partition.
            self._maybe_last = {at: ordinal for at, ordinal in found.items() if at is not None}
        told = told_by_workers(session)
        work = Work(self.table, self._path, tuple(parts), self._maybe_last, told)
        # If this fails, or Delta has the batch already, nobody knows how far the table goes.
        last, self._maybe_last = self._maybe_last, None
        self._write(session, work, writer=writer, batch=batch)
        if told.value.last:
            self._maybe_last = {**last, **told.value.last}
        for hole in told.value.holes:
            log.error("%s: %s", self.table.name, hole)
        if told.value.problem:
            log.error(
                "a foreign record in the topic of %s: %s", self.table.name, told.value.problem
            )

    def _write(self, session: SparkSession, work: Work, *, writer: str, batch: int) -> None:
        numbers = session.range(0, len(work.parts), 1, len(work.parts))
        if "://" in self._path:
            rows = numbers.mapInArrow(work.rows, self.table.schema)
            append(rows, path=self._path, options=table_write_options(writer=writer, batch=batch))
            return
        found = numbers.mapInArrow(work.files, FILE_SCHEMA).collect()
        if found:
            files = [TableFile(*row) for row in found]
            commit_files(session, self._path, files, writer=writer, batch=batch)


class Work(NamedTuple):
    """What a worker needs to make rows of records."""

    table: Table
    path: str
    parts: tuple[Records, ...]
    last: Mapping[int, int]
    told: Accumulator[Told]

    def rows(self, numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """A function for `mapInArrow`: numbers of parts in, rows of the table out."""
        for part in self._parts(numbers):
            yield from self._rows_of(part)

    def files(self, numbers: Iterable[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        """The other one: numbers of parts in, files of the table out, which have the rows."""
        import pyarrow as pa

        for part in self._parts(numbers):
            maybe_file = write_file(
                self._rows_of(part), folder=self.path, with_bounds=self.table.with_bounds
            )
            if maybe_file is not None:
                yield pa.RecordBatch.from_pylist([maybe_file._asdict()])

    def _parts(self, numbers: Iterable[pa.RecordBatch]) -> Iterator[Records]:
        for batch in numbers:
            for number in batch.column(0).to_pylist():
                yield self.parts[number]

    def _rows_of(self, part: Records) -> Iterator[pa.RecordBatch]:
        problems: list[str] = []
        new = NewRecords(self.last)
        decode = decoding_function(self.table, on_problem=problems.append)
        for rows in decode(_only_new(part.read(), new)):
            yield _without_problems(rows)
        self.told.add(Told(dict(new.last), tuple(new.holes), problems[0] if problems else ""))


def _only_new(batches: Iterable[pa.RecordBatch], new: NewRecords) -> Iterator[pa.RecordBatch]:
    """Drop the repeats; a cloud event's head is in its header."""
    import pyarrow as pa
    import pyarrow.compute as pc

    for batch in batches:
        _, values, facts = batch.columns
        heads = values if facts.null_count == len(facts) else pc.coalesce(facts, values)
        are_new = new.are_new(heads)
        yield batch if are_new.all() else batch.filter(pa.array(are_new))


def _without_problems(rows: pa.RecordBatch) -> pa.RecordBatch:
    problems = rows.column(PROBLEM)
    if problems.null_count < len(problems):
        rows = rows.filter(problems.is_null())
    return rows.drop_columns([PROBLEM])


def writer_of(batch: DataFrame) -> str:
    """The name under which Delta remembers this query's batches: the id in its checkpoint.

    A new checkpoint counts its batches from 0 again, so it must have a new name, or Delta would
    take its batches for repeats and drop them.
    """
    maybe_id = batch.sparkSession.sparkContext.getLocalProperty(QUERY_ID_PROPERTY)
    if maybe_id is None:
        raise RuntimeError("a batch of the history query does not know its query's id")
    return str(maybe_id)
