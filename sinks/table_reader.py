"""Read the tables without Spark, as `verify`, the consumer and the commands do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sinks.errors import DestinationError, no_table
from sinks.tables import Table

if TYPE_CHECKING:
    import pyarrow.dataset as pds
    from deltalake import DeltaTable


def open_dataset(directory: str, table: Table) -> pds.Dataset:
    """A table as it is now, for any engine that reads Arrow datasets.

    Raises `DestinationError` if there is no such table.
    """
    from deltalake import DeltaTable
    from deltalake.exceptions import DeltaError, TableNotFoundError

    path = table.path(directory)
    try:
        return dataset_of(DeltaTable(path), path)
    except (TableNotFoundError, FileNotFoundError) as error:
        raise no_table(path) from error
    except DeltaError as error:
        raise DestinationError(f"the table at {path} cannot be read: {error}") from error


def dataset_of(table: DeltaTable, path: str) -> pds.Dataset:
    """The dataset of an opened table.

    Files of this machine are read by Arrow itself: delta-rs would read them through Python, and a
    program that ends while Arrow still closes such a file is aborted. Behind a URI delta-rs reads.
    """
    from pyarrow.fs import LocalFileSystem, SubTreeFileSystem

    if "://" in path:
        return table.to_pyarrow_dataset()
    folder = SubTreeFileSystem(str(Path(path).absolute()), LocalFileSystem())
    return table.to_pyarrow_dataset(filesystem=folder)


def read_rows(directory: str, table: Table, *, columns: Sequence[str]) -> Iterator[tuple[Any, ...]]:
    """Every row of a table as it is now, the named columns in that order, in no order of rows.

    Raises `DestinationError` if there is no such table.
    """
    for batch in open_dataset(directory, table).to_batches(columns=list(columns)):
        yield from zip(*(batch.column(name).to_pylist() for name in columns), strict=True)
