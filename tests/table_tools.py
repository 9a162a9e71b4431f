"""Write records into a table as the history query does, or take a file away from a table."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from deltalake import DeltaTable

from sinks.cloud_events import FACTS
from sinks.tables import Table
from streaming.history_query import TableHistory, look_over
from streaming.spark_options import table_write_options

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

_TOPIC = "topic"
_RECORDS = f"topic string, key binary, value binary, {FACTS} binary"


def write_batch(
    spark: SparkSession,
    history: TableHistory,
    records: Iterable[tuple[bytes, bytes]],
    *,
    batch: int,
) -> None:
    """Write one batch of keys and values, by its number."""
    frame = spark.createDataFrame([(_TOPIC, *record, None) for record in records], _RECORDS)
    options = table_write_options(writer="w", batch=batch)
    history.write(frame, look_over(frame).get(_TOPIC, {}), options=options)


def remove_a_file(directory: str, table: Table) -> None:
    """Remove a file that a table has.

    Not any file of its folder: Spark leaves empty ones there that the table does not have.
    """
    Path(DeltaTable(table.path(directory)).file_uris()[0]).unlink()
