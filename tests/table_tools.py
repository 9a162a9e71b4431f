"""Write records into a table as the history query does, or take a file away from a table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from deltalake import DeltaTable

from sinks.decoding import RECORD_COLUMNS
from sinks.tables import Table
from streaming.history_query import TableHistory

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import SparkSession


class Listed(NamedTuple):
    """Records from a list."""

    records: tuple[tuple[bytes, bytes], ...]

    def read(self) -> Iterator[pa.RecordBatch]:
        """All of them at once."""
        import pyarrow as pa

        keys = [key for key, _ in self.records]
        values = [value for _, value in self.records]
        arrays = [pa.array(one, pa.binary()) for one in (keys, values, [None] * len(keys))]
        yield pa.RecordBatch.from_arrays(arrays, names=list(RECORD_COLUMNS))


def write_batch(
    spark: SparkSession,
    history: TableHistory,
    records: Iterable[tuple[bytes, bytes]],
    *,
    batch: int,
) -> None:
    """Write one batch of keys and values, by its number."""
    history.write(spark, [Listed(tuple(records))], writer="w", batch=batch)


def remove_a_file(directory: str, table: Table) -> None:
    """Remove a file that a table has.

    Not any file of its folder: Spark leaves empty ones there that the table does not have.
    """
    Path(DeltaTable(table.path(directory)).file_uris()[0]).unlink()
