"""Write the tables that the job would have made, without Spark, for a log that was replayed.

Only into a new folder: the job's own tables have their own writer, which knows what they have.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from console.answers.replaying import Replayed
from console.errors import UsageError
from sinks.decoding import PROBLEM, ROW_FUNCTIONS, arrow_schema
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, TABLES, WAITS, Table

if TYPE_CHECKING:
    import pyarrow as pa

REPLAYED = (DELIVERIES, QUARANTINE, WAITS, MEMBERSHIP)
"""The tables in the order of `Replayed`."""

ROWS_AT_ONCE = 100_000
"""Rows that become one file: fewer would make many small files, more would need much memory."""


class TableWriter:
    """Collects rows and writes them; `finish` writes what is left."""

    def __init__(self, directory: Path) -> None:
        """Make the tables, empty. Raises `UsageError` if the folder has something in it."""
        if directory.exists() and any(directory.iterdir()):
            raise UsageError(f"{directory} is not empty: name a new folder for the tables")
        self._directory = str(directory)
        self._waiting: dict[str, list[tuple[bytes, bytes]]] = {one.name: [] for one in TABLES}
        for table in TABLES:
            self._write(table, [])

    def take(self, replayed: Replayed) -> None:
        """Take the next records."""
        for table, records in zip(REPLAYED, replayed, strict=True):
            waiting = self._waiting[table.name]
            waiting += records
            if len(waiting) >= ROWS_AT_ONCE:
                self._write(table, waiting)
                waiting.clear()

    def finish(self) -> None:
        """Write what is left."""
        for table in REPLAYED:
            if self._waiting[table.name]:
                self._write(table, self._waiting[table.name])
                self._waiting[table.name].clear()

    def _write(self, table: Table, records: Sequence[tuple[bytes, bytes]]) -> None:
        from deltalake import write_deltalake

        write_deltalake(table.path(self._directory), rows_of(table, records), mode="append")


def rows_of(table: Table, records: Sequence[tuple[bytes, bytes]]) -> pa.Table:
    """Records of a topic as rows of its table."""
    import pyarrow as pa

    schema = arrow_schema(table)
    rows = [ROW_FUNCTIONS[table.name](key, value) for key, value in records]
    return pa.Table.from_pylist(rows, schema=schema).drop_columns([PROBLEM])
