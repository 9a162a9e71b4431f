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
from typing import TYPE_CHECKING

from sinks.cloud_events import FACTS
from sinks.decoding import PROBLEM, RECORD_COLUMNS, decoded_schema, decoding_function
from sinks.records import HEAD_BYTES, NUMBERED, VERSION
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
        maximum_records=job.max_offsets_per_trigger,
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

    def write(self, records: DataFrame, *, options: dict[str, str]) -> None:
        """Write a batch; a repeat of a batch, whole or in part, adds nothing.

        `options` name the writer and the batch (`table_write_options`).
        """
        if self._maybe_last is None:
            found = last_ordinals(records.sparkSession, self._path)
            # A row that another program wrote may name no partition.
            self._maybe_last = {at: ordinal for at, ordinal in found.items() if at is not None}
        last = self._maybe_last
        reached, has_repeats = self._look_over(records, last)
        problem = first_text(records.sparkSession)
        decoded = records.select(*RECORD_COLUMNS).mapInArrow(
            decoding_function(self.table, on_problem=problem.add), decoded_schema(self.table)
        )
        if reached:
            rows = decoded.filter(f"{PROBLEM} IS NULL AND {newer_than(last)}").drop(PROBLEM)
            if has_repeats:
                rows = rows.dropDuplicates(["raw_partition", "ordinal"])
            append(rows, path=self._path, options=options)
            last.update(reached)
        else:
            decoded.filter(f"{PROBLEM} IS NOT NULL").count()  # what is not seen before is foreign
        if problem.value:
            log.error("a foreign record in the topic of %s: %s", self.table.name, problem.value)

    def _look_over(self, records: DataFrame, last: dict[int, int]) -> tuple[dict[int, int], bool]:
        """How far a batch goes in each raw partition, and whether it has repeats.

        Partition and ordinal stand in fixed places of every numbered record, so that nothing needs
        to be decoded for this.
        """
        from pyspark.sql import functions

        head = f"coalesce({FACTS}, value)"
        numbered = records.filter(f"length({head}) >= {HEAD_BYTES}").selectExpr(
            f"try_cast(conv(hex(substring({head}, 25, 4)), 16, 10) AS INT) AS raw_partition",
            f"try_cast(conv(hex(substring({head}, 9, 8)), 16, 10) AS BIGINT) AS ordinal",
            f"substring({head}, 1, {len(NUMBERED)}) = X'{NUMBERED.hex()}'"
            f" AND substring({head}, 5, 1) = X'{VERSION:02x}' AS is_ours",
        )
        texts = ("min(ordinal)", "max(ordinal)", "count(ordinal)")
        summary = (
            numbered.filter(f"is_ours AND {newer_than(last)}")
            .groupBy("raw_partition")
            .agg(*map(functions.expr, texts))
        )
        reached: dict[int, int] = {}
        has_repeats = False
        for partition, lowest, highest, count in summary.collect():
            expected = last.get(partition, 0) + 1
            if lowest > expected:
                log.error(
                    "%s: ordinals %d to %d of partition %d are missing; run precede verify",
                    self.table.name, expected, lowest - 1, partition,
                )  # fmt: skip
            has_repeats |= count > highest - lowest + 1
            reached[partition] = highest
        return reached, has_repeats


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
