"""Upkeep of the Delta tables: few large files, no old ones, and only as much history as is wanted.

The job writes a small file for each batch and table. Upkeep, beside the running job or without it:

1. expire   delete rows that are older than the table's retention, if it has one
2. compact  write many small files together, clustered by what people ask for (group, position)
3. vacuum   delete files that no version of the last days needs

Each step is one Delta commit that only ever meets blind appends of the job, which conflict with
none of them. A step that is cut off leaves the table as it was; the next upkeep does it.

Some rows stay however old they are: the last row of each raw partition (the job goes on from its
ordinal), the rows of messages that are still held, and a member's last word about a group.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from sinks.errors import no_table
from sinks.tables import MEMBERSHIP, TABLES, WAITS, Table

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

LEAST_VACUUM_HOURS = 168
"""Delta's own bound: a reader or writer that has been at work for a week is still safe."""

KEPT: dict[str, str] = {
    WAITS.name: (
        "first_value(status) OVER (PARTITION BY raw_partition, raw_offset, raw_entry "
        "ORDER BY ordinal DESC) = 'held'"
    ),
    MEMBERSHIP.name: "row_number() OVER (PARTITION BY `group`, sender ORDER BY ordinal DESC) = 1",
}
"""What stays of a table besides the last row of each raw partition."""

RETENTION_PATTERN = rf"({'|'.join(table.name for table in TABLES)})=\d{{1,5}}"
RETENTION_FORM = "TABLE=DAYS, such as quarantine=30"


class TableState(NamedTuple):
    """What upkeep finds in a table."""

    files: int
    bytes: int


class Upkeep(NamedTuple):
    """What was done to one table, or would be done."""

    table: str
    before: TableState
    after: TableState
    expired_rows: int
    removed_files: int


def parse_retention(texts: tuple[str, ...]) -> dict[str, int]:
    """Days for each table that has a bound; ValueError for a text that is none."""
    days: dict[str, int] = {}
    for text in texts:
        name, _, number = text.partition("=")
        if name not in {table.name for table in TABLES} or not number.isdecimal():
            raise ValueError(f"{text!r} is no retention; write {RETENTION_FORM}")
        if name in days or not int(number):
            raise ValueError(f"{text!r}: one retention for a table, of at least one day")
        days[name] = int(number)
    return days


def require_tables(directory: str) -> None:
    """Raise `DestinationError` for a folder of this machine without tables.

    For callers that would start Spark first, which takes seconds; of a URI Spark has to ask.
    """
    for table in TABLES:
        path = table.path(directory)
        if "://" not in path and not (Path(path) / "_delta_log").is_dir():
            raise no_table(path)


def keep_up(
    session: SparkSession,
    directory: str,
    table: Table,
    *,
    maybe_days: int | None,
    vacuum_hours: int = LEAST_VACUUM_HOURS,
    is_dry: bool = False,
) -> Upkeep:
    """Do all that is due for one table; if dry, only say what that would be."""
    from delta.tables import DeltaTable

    path = table.path(directory)
    if not DeltaTable.isDeltaTable(session, path):
        raise no_table(path)
    before = state_of(session, path)
    expired = 0
    if maybe_days is not None:
        expired = expire(session, table, path, older_than_days=maybe_days, is_dry=is_dry)
    if not is_dry:
        DeltaTable.forPath(session, path).optimize().executeCompaction()
    removed = vacuum(session, path, hours=vacuum_hours, is_dry=is_dry)
    return Upkeep(table.name, before, state_of(session, path), expired, removed)


def state_of(session: SparkSession, path: str) -> TableState:
    """How many files a table has now, and how large they are."""
    detail = session.sql(f"DESCRIBE DETAIL delta.`{path}`").collect()[0]
    return TableState(int(detail["numFiles"]), int(detail["sizeInBytes"]))


def expire(
    session: SparkSession, table: Table, path: str, *, older_than_days: int, is_dry: bool
) -> int:
    """Delete what was captured longer ago; gives the number of rows."""
    from delta.tables import DeltaTable

    cutoff = datetime.now(UTC) - timedelta(days=older_than_days)
    kept = KEPT.get(table.name, "false")
    last = "ordinal = max(ordinal) OVER (PARTITION BY raw_partition)"
    doomed = (
        session.read.format("delta")
        .load(path)
        .selectExpr("raw_partition", "ordinal", "captured_at", f"({kept}) OR ({last}) AS is_kept")
        .filter(f"NOT is_kept AND captured_at < timestamp'{cutoff:%Y-%m-%d %H:%M:%S}'")
        .select("raw_partition", "ordinal")
    )
    count = doomed.count()
    if count and not is_dry:
        (
            DeltaTable.forPath(session, path)
            .alias("rows")
            .merge(
                doomed.alias("doomed"),
                "rows.raw_partition = doomed.raw_partition AND rows.ordinal = doomed.ordinal",
            )
            .whenMatchedDelete()
            .execute()
        )
    return count


def vacuum(session: SparkSession, path: str, *, hours: int, is_dry: bool) -> int:
    """Delete files that no version of the last hours needs; gives how many there are."""
    statement = f"VACUUM delta.`{path}` RETAIN {hours} HOURS"
    old = session.sql(f"{statement} DRY RUN").count()
    if old and not is_dry:
        session.sql(statement)
    return old
