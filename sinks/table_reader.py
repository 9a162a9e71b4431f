"""Read the tables without Spark, as `verify` and the console do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from sinks.errors import DestinationError
from sinks.tables import Table


def read_rows(directory: str, table: Table, *, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Every row of a table as it is now, the named columns in that order, in no order of rows.

    Raises `DestinationError` if there is no such table.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError, TableNotFoundError

    path = table.path(directory)
    try:
        dataset = DeltaTable(path).to_pyarrow_dataset()
        batches = dataset.to_batches(columns=list(columns))
    except (TableNotFoundError, FileNotFoundError) as error:
        raise DestinationError(
            f"there is no Delta table at {path}: is job.tables_directory right, "
            "and has the job been started once?"
        ) from error
    except DeltaError as error:
        raise DestinationError(f"the table at {path} cannot be read: {error}") from error
    for batch in batches:
        yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
