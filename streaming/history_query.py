"""The history query: the numbered topics -> Delta tables, each row once.

The topics are ordered, quarantine, waits and membership. It runs beside the ordering query, so that
no message waits for a commit of a table. For each batch and table:

1. look over the ordinals, which stand in fixed places: how far the batch goes, repeats, holes;
2. decode the records into rows, and drop what the table already has: every row whose ordinal is
   not greater than the last one of its raw partition (the ordering query's sink may repeat a batch
   after a crash);
3. write the rest with the batch's number, which Delta refuses to take a second time (a crash
   between Delta's commit and Spark's makes Spark run the batch again).

Either of 2 and 3 is enough for its own fault; together they cover both, and the loss of this
query's checkpoint too.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from typing import TYPE_CHECKING

from sinks.cloud_events import FACTS
from sinks.decoding import PROBLEM, RECORD_COLUMNS, decoded_schema, decoding_function
from sinks.reach import PIECE_SCHEMA, Reach, pieces, reaches
from sinks.records import HEAD_BYTES
from sinks.settings import KafkaSettings
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, WAITS, Table, append, last_ordinals
from streaming.crash_points import CrashPoint, pass_crash_point
from streaming.first_text import first_text
from streaming.settings import JobSettings
from streaming.spark_options import (
    INCLUDE_HEADERS,
    QUERY_ID_PROPERTY,
    source_options,
    table_write_options,
)

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession
    from pyspark.sql.streaming.readwriter import DataStreamWriter

QUERY_NAME = "precede-history"

ORDERING_BATCHES = 4
"""How much of the ordering query's output one batch may take: a commit of a table costs half a
second whatever it holds, so a history that has fallen behind catches up in larger steps."""

# Records of the envelope format have no headers at all.
_FACTS_OF_HEADERS = f"element_at(filter(headers, one -> one.key = '{FACTS}'), 1).value"

log = logging.getLogger(__name__)


def history_writer(
    session: SparkSession, *, kafka: KafkaSettings, job: JobSettings
) -> DataStreamWriter:
    """The query, ready to be given a checkpoint and a trigger and to be started."""
    topics = kafka.topics
    options = {INCLUDE_HEADERS: "true"} | source_options(
        kafka,
        topics=[topics.ordered, topics.quarantine, topics.waits, topics.membership],
        maximum_records=job.max_messages_per_batch * ORDERING_BATCHES,
    )
    records = session.readStream.format("kafka").options(**options).load()
    tables = [
        (topic, TableHistory(table, directory=job.tables_directory))
        for topic, table in (
            (topics.ordered, DELIVERIES),
            (topics.quarantine, QUARANTINE),
            (topics.waits, WAITS),
            (topics.membership, MEMBERSHIP),
        )
    ]

    def write(batch: DataFrame, number: int) -> None:
        options = table_write_options(writer=writer_of(batch), batch=number)
        # Read the topics once, and leave alone what they have nothing new for: most batches
        # quarantine nothing.
        batch = batch.persist()
        try:
            reached = look_over(batch)
            for topic, table in tables:
                if topic in reached:
                    records = batch.filter(batch["topic"] == topic)
                    table.write(records, reached[topic], options=options)
                if table.table is DELIVERIES:
                    pass_crash_point(CrashPoint.AFTER_DELIVERIES_COMMIT)
        finally:
            batch.unpersist()
        pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT)

    return (
        records.selectExpr("topic", "key", "value", f"{_FACTS_OF_HEADERS} AS {FACTS}")
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

    def write(
        self, records: DataFrame, reach: Mapping[int, Reach], *, options: dict[str, str]
    ) -> None:
        """Write a batch; a repeat of a batch, whole or in part, adds nothing.

        `reach` says which ordinals the records have (`look_over`); `options` name the writer and
        the batch (`table_write_options`).
        """
        if self._maybe_last is None:
            found = last_ordinals(records.sparkSession, self._path)
            # A row that another program wrote may name no partition.
            self._maybe_last = {at: ordinal for at, ordinal in found.items() if at is not None}
        last = self._maybe_last
        reached = self._look_over(reach, last)
        problem = first_text(records.sparkSession)
        decoded = records.select(*RECORD_COLUMNS).mapInArrow(
            decoding_function(self.table, on_problem=problem.add), decoded_schema(self.table)
        )
        if reached:
            rows = decoded.filter(f"{PROBLEM} IS NULL AND {newer_than(last)}").drop(PROBLEM)
            if any(one.has_repeats for one in reach.values()):
                rows = rows.dropDuplicates(["raw_partition", "ordinal"])
            append(rows, path=self._path, options=options)
            last.update(reached)
        else:
            decoded.filter(f"{PROBLEM} IS NOT NULL").count()  # what is not seen before is foreign
        if problem.value:
            log.error("a foreign record in the topic of %s: %s", self.table.name, problem.value)

    def _look_over(self, reach: Mapping[int, Reach], last: dict[int, int]) -> dict[int, int]:
        """How far a batch goes beyond what the table has, in each raw partition."""
        reached: dict[int, int] = {}
        for partition, (lowest, highest, _) in reach.items():
            expected = last.get(partition, 0) + 1
            if lowest > expected:
                log.error(
                    "%s: ordinals %d to %d of partition %d are missing; run precede verify",
                    self.table.name, expected, lowest - 1, partition,
                )  # fmt: skip
            if highest >= expected:
                reached[partition] = highest
        return reached


def look_over(batch: DataFrame) -> dict[str, dict[int, Reach]]:
    """For each topic that a batch has records of, how far it goes in each raw partition."""
    heads = batch.selectExpr("topic", f"substring(coalesce({FACTS}, value), 1, {HEAD_BYTES})")
    return reaches(heads.mapInArrow(pieces, PIECE_SCHEMA).collect())


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
