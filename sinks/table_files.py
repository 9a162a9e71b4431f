"""Write rows as a file of a Delta table, in the worker that made them.

Through Spark, a row is taken apart and put together again on its way into a file, which takes
twenty times as long as Arrow needs to write it. So the worker writes the file itself, beside the
table's others, and tells what is in it; nobody sees it until the driver has committed it
(`table_commits.py`). A file that is never committed, because something failed in between, is
removed by upkeep like any other that no version needs.
"""

from __future__ import annotations

import contextlib
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from sinks.table_bounds import Bounds

if TYPE_CHECKING:
    import pyarrow as pa
    from pyarrow.parquet import ParquetWriter

ROWS_TOGETHER: Final = 131_072
BYTES_TOGETHER: Final = 64 << 20
"""What is kept in memory before it is written as one row group: small ones are slow to read."""
COMPRESSION: Final = "zstd"


class TableFile(NamedTuple):
    """A file that was written."""

    name: str
    """in the table's folder"""
    size: int
    bounds: str
    """as `Bounds.as_json` gives them"""


FILE_SCHEMA: Final = "name string, size long, bounds string"
"""A `TableFile` in Spark's words."""


def write_file(
    batches: Iterable[pa.RecordBatch], *, folder: str, with_bounds: tuple[str, ...]
) -> TableFile | None:
    """Write rows into a new file of the table in this folder; none if there are no rows.

    `with_bounds` names the columns whose bounds are told. A file that fails is taken away again.
    """
    from pyarrow.parquet import ParquetWriter

    file = Path(folder) / f"part-{uuid.uuid4()}.parquet"
    bounds = Bounds(with_bounds)
    maybe_writer: ParquetWriter | None = None
    try:
        for rows in _row_groups(batches):
            if maybe_writer is None:
                maybe_writer = ParquetWriter(file, rows.schema, compression=COMPRESSION)
            maybe_writer.write_table(rows)
            bounds.add(rows)
        if maybe_writer is None:
            return None
        maybe_writer.close()
    except BaseException:
        if maybe_writer is not None:
            with contextlib.suppress(OSError):
                maybe_writer.close()
        file.unlink(missing_ok=True)
        raise
    return TableFile(file.name, file.stat().st_size, bounds.as_json())


def _row_groups(batches: Iterable[pa.RecordBatch]) -> Iterator[pa.Table]:
    import pyarrow as pa

    waiting: list[pa.RecordBatch] = []
    rows = size = 0
    for batch in batches:
        waiting.append(batch)
        rows, size = rows + batch.num_rows, size + batch.nbytes
        if rows >= ROWS_TOGETHER or size >= BYTES_TOGETHER:
            yield pa.Table.from_batches(waiting)
            waiting, rows, size = [], 0, 0
    if rows:
        yield pa.Table.from_batches(waiting)
