"""`precede rebuild`: make the tables anew from the log, say what differs, and put them in place.

1. replay      the log through the shards into tables beside the old ones (`replay.py`)
2. compare     row by row, by raw partition and ordinal
3. switch      overwrite each table with its new rows: one Delta commit, which readers see whole or
               not at all; the version before stays reachable until upkeep removes its files

The job must not run meanwhile (`checkpoint_lock.py`). Ordinals are functions of the log, so the
next start of the job goes on after the last row of the new tables as after that of the old ones.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Records
from sinks.decoding import PROBLEM, RECORD_COLUMNS, decoding_function
from sinks.records import Counters
from sinks.settings import KafkaSettings
from sinks.tables import TABLES, Table, append, create_tables
from streaming.replay import replay

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, SparkSession

REBUILT_SUFFIX = ".rebuilt"
MOST_ROWS = 200_000
"""Rows that are kept in memory before they are written: one file of a table."""


class Difference(NamedTuple):
    """How the old rows of one table differ from the new ones."""

    table: str
    rows: int
    """in the new table"""
    missing: int
    """in the new one alone"""
    foreign: int
    """in the old one alone"""
    different: int
    """in both, and not the same"""
    trouble: str = ""
    """why the old table could not be read, if it could not"""

    @property
    def is_none(self) -> bool:
        """Are the old rows as the log says?"""
        return not (self.missing or self.foreign or self.different or self.trouble)


@contextmanager
def rebuilt_tables(
    session: SparkSession,
    directory: str,
    *,
    kafka: KafkaSettings,
    policies: GroupPolicies,
    counters: Mapping[int, Counters],
) -> Iterator[str]:
    """Give the folder of tables made anew, for as long as it is needed."""
    beside = directory.rstrip("/") + REBUILT_SUFFIX
    _delete(session, beside)
    create_tables(session, beside)
    waiting: dict[str, list[pa.RecordBatch]] = {table.name: [] for table in TABLES}
    for table, records in replay(kafka, policies=policies, counters=counters):
        batches = waiting[table.name]
        if records.keys:
            batches += rows_of(table, records)
        if sum(batch.num_rows for batch in batches) >= MOST_ROWS:
            _write(session, table, batches, beside)
    for table in TABLES:
        _write(session, table, waiting[table.name], beside)
    try:
        yield beside
    finally:
        _delete(session, beside)


def rows_of(table: Table, records: Records) -> list[pa.RecordBatch]:
    """Records of a topic as rows of its table. A shard makes records, never cloud events."""
    import pyarrow as pa

    no_facts = [None] * len(records.keys)
    arrays = [pa.array(part, pa.binary()) for part in (records.keys, records.values, no_facts)]
    batch = pa.RecordBatch.from_arrays(arrays, names=list(RECORD_COLUMNS))
    return [rows.drop_columns([PROBLEM]) for rows in decoding_function(table)([batch])]


def compare(session: SparkSession, old_directory: str, new_directory: str) -> list[Difference]:
    """Compare all tables, row by row."""
    return [_compare(session, table, old_directory, new_directory) for table in TABLES]


def switch(session: SparkSession, old_directory: str, new_directory: str) -> None:
    """Put the new rows in the place of the old ones, table by table."""
    create_tables(session, old_directory)
    for table in TABLES:
        rows = _read(session, table, new_directory)
        rows.write.format("delta").mode("overwrite").save(table.path(old_directory))


def _compare(session: SparkSession, table: Table, old: str, new: str) -> Difference:
    new_rows = _read(session, table, new)
    count = new_rows.count()
    try:
        found = _counts(_read(session, table, old), new_rows, table)
    except Exception as error:  # whatever Spark or Delta say of a damaged table
        first = next(iter(str(error).strip().splitlines()), type(error).__name__)
        return Difference(table.name, count, count, 0, 0, trouble=first[:200])
    return Difference(table.name, count, *found)


def _counts(old: DataFrame, new: DataFrame, table: Table) -> tuple[int, int, int]:
    from pyspark.sql import functions

    keys = ("raw_partition", "ordinal")
    facts = functions.struct(*(c.name for c in table.columns if c.name not in keys))
    joined = old.select(*keys, facts.alias("was")).join(
        new.select(*keys, facts.alias("fresh")), list(keys), "full_outer"
    )
    counted = joined.selectExpr(
        "count_if(was IS NULL)", "count_if(fresh IS NULL)",
        "count_if(was IS NOT NULL AND fresh IS NOT NULL AND NOT (was <=> fresh))",
    )  # fmt: skip
    missing, foreign, different = counted.collect()[0]
    doubled = old.count() - old.select(*keys).distinct().count()
    return int(missing), int(foreign) + doubled, int(different)


def _read(session: SparkSession, table: Table, directory: str) -> DataFrame:
    return session.read.format("delta").load(table.path(directory))


def _write(
    session: SparkSession, table: Table, batches: list[pa.RecordBatch], directory: str
) -> None:
    import pyarrow as pa

    if not batches:
        return
    frame = session.createDataFrame(pa.Table.from_batches(batches))
    append(frame, path=table.path(directory), options={})
    batches.clear()


def _delete(session: SparkSession, directory: str) -> None:
    """Remove a folder of any file system, if it is there."""
    jvm: Any = session._jvm
    path = jvm.org.apache.hadoop.fs.Path(directory)
    path.getFileSystem(session._jsc.hadoopConfiguration()).delete(path, True)
