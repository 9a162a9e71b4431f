"""The history query: ordered and quarantine topics -> Delta tables, each row exactly once.

It runs beside the ordering query, so that no message waits for a commit of a table. For each batch
and table:

1. decode the records into rows;
2. drop what the table already has: every row whose ordinal is not greater than the last one of its
   raw partition (the ordering query's sink may repeat a batch after a crash);
3. write the rest with the batch's number, which Delta refuses to take a second time (a crash
   between Delta's commit and Spark's makes Spark run the batch again).

Either of 2 and 3 is enough for its own fault; together they cover both, and the loss of this
query's checkpoint too.
"""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from sinks.decoding import PROBLEM, decoded_schema, decoding_function
from sinks.settings import KafkaSettings
from sinks.tables import DELIVERIES, QUARANTINE, Table, append, last_ordinals
from streaming.crash_points import CrashPoint, pass_crash_point
from streaming.settings import JobSettings
from streaming.spark_options import QUERY_ID_PROPERTY, source_options, table_write_options

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

QUERY_NAME = "precede-history"

log = logging.getLogger(__name__)


def history_writer(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings
) -> DataStreamWriter:
    """The query, ready to be given a checkpoint and a trigger and to be started."""
    topics = kafka.topics
    options = source_options(
        kafka,
        topics=[topics.ordered, topics.quarantine],
        maximum_records=job.max_offsets_per_trigger,
    )
    records = session.readStream.format("kafka").options(**options).load()
    tables = [
        (topics.ordered, TableHistory(DELIVERIES, directory=job.tables_directory)),
        (
            topics.quarantine,
            TableHistory(QUARANTINE, directory=job.tables_directory),
        ),
    ]

    def write(batch: DataFrame, number: int) -> None:
        options = table_write_options(writer=writer_of(batch), batch=number)
        # Read the topics once, and leave alone what they have nothing new for: most batches
        # quarantine nothing.
        batch = batch.persist()
        try:
            present = {row["topic"] for row in batch.select("topic").distinct().collect()}
            for topic, table in tables:
                if topic in present:
                    table.write(batch.filter(batch["topic"] == topic), options=options)
                if table.table is DELIVERIES:
                    pass_crash_point(CrashPoint.AFTER_DELIVERIES_COMMIT)
        finally:
            batch.unpersist()
        pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT)

    return (
        records.select("topic", "key", "value")
        .writeStream.queryName(QUERY_NAME)
        .outputMode("append")
        .foreachBatch(write)
    )


class TableHistory:
    """Writes one topic's records into one table; remembers the last ordinal of each partition."""

    def __init__(self, table: Table, *, directory: str) -> None:
        self.table = table
        self._path = table.path(directory)
        self._maybe_last: dict[int, int] | None = None

    def write(self, records: DataFrame, *, options: dict[str, str]) -> None:
        """Write a batch; a repeat of a batch, whole or in part, adds nothing.

        `options` name the writer and the batch (`table_write_options`).
        """
        if self._maybe_last is None:
            self._maybe_last = last_ordinals(records.sparkSession, self._path)
        last = self._maybe_last
        decoded = records.select("key", "value").mapInArrow(
            decoding_function(self.table), decoded_schema(self.table)
        )
        unseen = decoded.filter(f"{PROBLEM} IS NOT NULL OR {newer_than(last)}").persist()
        try:
            self._write_unseen(unseen, last=last, options=options)
        finally:
            unseen.unpersist()

    def _write_unseen(
        self, unseen: DataFrame, *, last: dict[int, int], options: dict[str, str]
    ) -> None:
        from pyspark.sql import functions

        texts = ("min(ordinal)", "max(ordinal)", "count(ordinal)", f"max({PROBLEM})")
        summary = unseen.groupBy("raw_partition").agg(*map(functions.expr, texts))
        reached: dict[int, int] = {}
        has_repeats = False
        for partition, lowest, highest, count, maybe_problem in summary.collect():
            if maybe_problem is not None:
                log.error("a foreign record in the topic of %s: %s", self.table.name, maybe_problem)
            if partition is None:
                continue
            expected = last.get(partition, 0) + 1
            if lowest > expected:
                log.error(
                    "%s: ordinals %d to %d of partition %d are missing; run precede verify",
                    self.table.name, expected, lowest - 1, partition,
                )  # fmt: skip
            has_repeats |= count > highest - lowest + 1
            reached[partition] = highest
        if not reached:
            return
        rows = unseen.filter(f"{PROBLEM} IS NULL").drop(PROBLEM)
        if has_repeats:
            rows = rows.dropDuplicates(["raw_partition", "ordinal"])
        append(rows, path=self._path, options=options)
        last.update(reached)


def writer_of(batch: DataFrame) -> str:
    """The name under which Delta remembers this query's batches: the id in its checkpoint.

    A new checkpoint counts its batches from 0 again, so it must have a new name, or Delta would
    take its batches for repeats and drop them.
    """
    maybe_id = batch.sparkSession.sparkContext.getLocalProperty(QUERY_ID_PROPERTY)
    if maybe_id is None:
        raise RuntimeError("a batch of the history query does not know its query's id")
    return str(maybe_id)


def newer_than(last: dict[int, int]) -> str:
    """SQL that keeps a row if and only if its ordinal is greater than its partition's last one."""
    if not last:
        return "ordinal > 0"
    pairs = ", ".join(f"{partition}, {ordinal}L" for partition, ordinal in sorted(last.items()))
    return f"ordinal > coalesce(element_at(map({pairs}), raw_partition), 0L)"
