"""The Delta tables: their columns, and writes that are safe to repeat."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

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

    def path(self, directory: str) -> str:
        """Where the table lives, for a folder or any URI."""
        return f"{directory.rstrip('/')}/{self.name}"

    @property
    def schema(self) -> str:
        """The columns as Spark SQL writes them."""
        return ", ".join(f"`{column.name}` {column.kind}" for column in self.columns)


_COORDINATES = (
    Column("raw_partition", "INT", "partition of the raw topic"),
    Column("raw_offset", "BIGINT", "offset in the raw topic"),
    Column("raw_entry", "INT", "entry of the raw record, from 0 (a packed record has several)"),
    Column("captured_at", "TIMESTAMP", "when the broker took it from the agent"),
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
        Column("marks", "ARRAY<STRING>", "late, parent_missing; empty for nearly all"),
        Column("sent_at", "TIMESTAMP", "the sender's own clock"),
        *_COORDINATES,
    ),
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
)

TABLES = (DELIVERIES, QUARANTINE)


def create_tables(session: SparkSession, directory: str) -> None:
    """Make the tables that do not exist yet; called at every start of the job."""
    from delta.tables import DeltaTable

    for table in TABLES:
        builder = DeltaTable.createIfNotExists(session).location(table.path(directory))
        for column in table.columns:
            builder = builder.addColumn(column.name, column.kind, comment=column.meaning)
        builder.comment(table.meaning).execute()


def append(rows: DataFrame, *, path: str, options: dict[str, str]) -> None:
    """Add rows to a table; `options` make the write happen once (see `streaming.spark_options`)."""
    rows.write.format("delta").mode("append").options(**options).save(path)


def last_ordinals(session: SparkSession, path: str) -> dict[int, int]:
    """The greatest ordinal of each raw partition that the table already has."""
    table = session.read.format("delta").load(path)
    rows = table.groupBy("raw_partition").agg({"ordinal": "max"}).collect()
    return {row[0]: row[1] for row in rows}
