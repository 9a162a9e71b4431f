"""The Delta tables: their columns, and writes that are safe to repeat."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class Column(NamedTuple):
    """One column: its name, its Spark SQL type, and what it says."""

    name: str
    kind: str
    meaning: str


class Table(NamedTuple):
    """One table under the tables' folder."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    clustered_by: tuple[str, ...]
    """by what rows lie together in the files; people ask by these"""

    def path(self, directory: str) -> str:
        """Where the table lives, for a folder or any URI.

        A folder is named from the root on: Delta takes a relative path for the name of a table.
        """
        directory = directory.removeprefix("file://")
        place = directory if "://" in directory else str(Path(directory).absolute())
        return f"{place.rstrip('/')}/{self.name}"

    @property
    def with_bounds(self) -> tuple[str, ...]:
        """The columns whose bounds are kept for each file, so that a question passes it over; to
        keep those of all columns would take a tenth of a write.
        """
        names = (*self.clustered_by, "raw_partition", "raw_offset", "captured_at", "ordinal")
        return tuple(dict.fromkeys(names))

    @property
    def schema(self) -> str:
        """The columns as Spark SQL writes them."""
        return ", ".join(f"`{column.name}` {column.kind}" for column in self.columns)


_COORDINATES = (
    Column("raw_partition", "INT", "partition of the raw topic; the shard where there are several"),
    Column("raw_offset", "BIGINT", "offset in the raw topic"),
    Column("raw_entry", "INT", "entry of the raw record, from 0 (a packed record has several)"),
    Column("captured_at", "TIMESTAMP", "when the agent captured it, or the broker took it"),
    Column("ordinal", "BIGINT", "1, 2, 3 ... of this table and raw partition"),
)

DELIVERIES = Table(
    "deliveries",
    "every delivered message, in order by (group, position)",
    (
        Column("group", "STRING", "the group"),
        Column("position", "BIGINT", "1, 2, 3 ... of the group; a child comes after its parent"),
        Column("id", "STRING", "the message id, as sender:seq"),
        Column("sender", "STRING", "the member that sent it, as name#incarnation"),
        Column("seq", "BIGINT", "1, 2, 3 ... of the sender in the group"),
        Column("parent", "STRING", "id of the message that it answers; NULL if it answers none"),
        Column("also", "ARRAY<STRING>", "ids of further parents; empty for nearly all"),
        Column("payload", "BINARY", "what the sender sent"),
        Column("stamps", "BINARY", "the sender's stamps for its discipline; NULL if it has none"),
        Column("stamps_kind", "INT", "which stamps these are, as on the wire; NULL if it has none"),
        Column("key_id", "INT", "with which key it was tagged; NULL if it was not"),
        Column("tag", "BINARY", "the sender's tag, which a holder of the key can check again"),
        Column("is_sealed", "BOOLEAN", "true if the payload is a secret of the group; else NULL"),
        Column("marks", "ARRAY<STRING>", "late, parent_missing; empty for nearly all"),
        Column("sent_at", "TIMESTAMP", "the sender's own clock"),
        *_COORDINATES,
    ),
    ("group", "position"),
)

QUARANTINE = Table(
    "quarantine",
    "everything captured that will not be delivered, with the reason",
    (
        Column("group", "STRING", "the group; NULL if the bytes name none"),
        Column("reason", "STRING", "one word for why"),
        Column("detail", "STRING", "the same in a sentence"),
        Column("captured", "BINARY", "the bytes as they were captured"),
        *_COORDINATES,
    ),
    ("raw_partition", "ordinal"),
)

WAITS = Table(
    "waits",
    "every message that was still held when a tick passed, and what became of it; the newest row "
    "of a message counts",
    (
        Column("group", "STRING", "the group"),
        Column("id", "STRING", "the message that waits, as sender:seq"),
        Column("status", "STRING", "held; or how the wait ended: delivered, released, quarantined"),
        Column("waiting_for", "STRING", "what it waits for, as sender:seq; NULL at the end"),
        Column("measure", "STRING", "id: exactly that message; else what of the sender up to it"),
        Column("by", "STRING", "who must confirm, where measure is acknowledged; else empty"),
        Column("at", "TIMESTAMP", "the log's time when this was told"),
        *_COORDINATES,
    ),
    ("group", "id"),
)

MEMBERSHIP = Table(
    "membership",
    "what members told about groups: who came, who left, what there is; in the order of the log, "
    "together with the messages",
    (
        Column("group", "STRING", "the group; * where it concerns all of them"),
        Column(
            "kind",
            "STRING",
            "advertise, create, join, leave, groups_info; sealed where only a holder of the "
            "group's key can read it",
        ),
        Column("sender", "STRING", "the member that told it, as name#incarnation"),
        Column("seq", "BIGINT", "the sender's own count of what it told"),
        Column("after_position", "BIGINT", "last position of the group that was delivered before"),
        Column("description", "STRING", "what the group is for (create)"),
        Column("discipline", "STRING", "the discipline that its creator asked for (create)"),
        Column("acceptance", "STRING", "the acceptance level that it asked for (create)"),
        Column("groups", "STRING", "JSON: groups with current and left members (groups_info)"),
        Column("sent_at", "TIMESTAMP", "the sender's own clock"),
        *_COORDINATES,
    ),
    ("group", "ordinal"),
)

TABLES = (DELIVERIES, QUARANTINE, WAITS, MEMBERSHIP)


_BOUNDS_OF = "delta.dataSkippingStatsColumns"


def create_tables(session: SparkSession, directory: str) -> None:
    """Make the tables that do not exist yet; called at every start of the job, before it writes.

    A table of an earlier release gets the columns that it lacks (its old rows have NULL there), and
    begins to be clustered: neither changes a file.
    """
    from delta.tables import DeltaTable

    for table in TABLES:
        path = table.path(directory)
        if not DeltaTable.isDeltaTable(session, path):
            _remove_unborn(session, path)
            builder = DeltaTable.createIfNotExists(session).location(path)
            for column in table.columns:
                builder = builder.addColumn(column.name, column.kind, comment=column.meaning)
            builder = builder.comment(table.meaning).clusterBy(*table.clustered_by)
            builder.property(_BOUNDS_OF, ",".join(table.with_bounds)).execute()
        else:
            _bring_up_to_date(session, table, path)


def _remove_unborn(session: SparkSession, path: str) -> None:
    """Remove the log of a table whose maker died before the first commit, if there is one.

    Delta takes its empty folder for a table that it then cannot find, and refuses to make one. A
    file that is being written has a dot before its name; any other is a reason to leave the folder.
    """
    jvm: Any = session._jvm
    log = jvm.org.apache.hadoop.fs.Path(path, "_delta_log")
    file_system = log.getFileSystem(session._jsc.hadoopConfiguration())
    if not file_system.exists(log):
        return
    files = file_system.listFiles(log, True)
    while files.hasNext():
        if not files.next().getPath().getName().startswith("."):
            return
    file_system.delete(log, True)


def _bring_up_to_date(session: SparkSession, table: Table, path: str) -> None:
    there = set(session.read.format("delta").load(path).columns)
    added = [column for column in table.columns if column.name not in there]
    if added:
        columns = ", ".join(f"`{one.name}` {one.kind} COMMENT {_quoted(one)}" for one in added)
        session.sql(f"ALTER TABLE delta.`{path}` ADD COLUMNS ({columns})")
    detail = session.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()[0]
    if tuple(detail["clusteringColumns"]) != table.clustered_by:
        columns = ", ".join(f"`{name}`" for name in table.clustered_by)
        session.sql(f"ALTER TABLE delta.`{path}` CLUSTER BY ({columns})")
    bounds = ",".join(table.with_bounds)
    if detail["properties"].get(_BOUNDS_OF) != bounds:
        session.sql(f"ALTER TABLE delta.`{path}` SET TBLPROPERTIES ('{_BOUNDS_OF}' = '{bounds}')")


def _quoted(column: Column) -> str:
    text = column.meaning.replace("\\", "\\\\").replace("'", "\\'")
    return f"'{text}'"


def append(rows: DataFrame, *, path: str, options: dict[str, str]) -> None:
    """Add rows to a table; `options` make the write happen once (see `streaming.spark_options`)."""
    rows.write.format("delta").mode("append").options(**options).save(path)


def last_ordinals(session: SparkSession, path: str) -> dict[int, int]:
    """The greatest ordinal of each raw partition that the table already has."""
    table = session.read.format("delta").load(path)
    rows = table.groupBy("raw_partition").agg({"ordinal": "max"}).collect()
    return {row[0]: row[1] for row in rows}
