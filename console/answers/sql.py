"""Run one query over the tables and the views: with DuckDB in this process, or with Spark.

The texts of the views are Spark's SQL. DuckDB reads the same files through the Arrow dataset that
delta-rs gives, so it needs no extension and no network; two words are said otherwise there.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Iterable, Sequence
from datetime import datetime
from enum import StrEnum
from typing import TYPE_CHECKING, Any, NamedTuple

from console.errors import ExitCode, OperatorError
from sinks.table_reader import open_dataset
from sinks.tables import TABLES
from sinks.views import VIEWS

if TYPE_CHECKING:
    import duckdb
    from pyspark.sql import SparkSession


class Engine(StrEnum):
    """What runs a query."""

    AUTO = "auto"
    """DuckDB if it is installed, else Spark."""
    DUCKDB = "duckdb"
    SPARK = "spark"


class Result(NamedTuple):
    """Columns and rows."""

    columns: tuple[str, ...]
    rows: list[dict[str, Any]]


def chosen(engine: Engine) -> Engine:
    """The engine that will run; `OperatorError` if it is not installed."""
    is_there = importlib.util.find_spec("duckdb") is not None
    if engine is Engine.DUCKDB and not is_there:
        raise OperatorError(
            "DuckDB is not installed: pip install duckdb, or choose --engine spark",
            ExitCode.CONFIGURATION,
        )
    if engine is Engine.AUTO:
        return Engine.DUCKDB if is_there else Engine.SPARK
    return engine


def for_duckdb(sql: str) -> str:
    """Spark's text as DuckDB reads it: quotes of names, and bytes that are text."""
    return sql.replace("`", '"').replace(
        "CAST(said.payload AS STRING)", "coalesce(try(decode(said.payload)), said.payload::VARCHAR)"
    )


def open_duckdb(directory: str) -> duckdb.DuckDBPyConnection:
    """A connection that knows the tables and the views."""
    import duckdb

    connection = duckdb.connect()
    connection.execute("SET TimeZone = 'UTC'")
    for table in TABLES:
        connection.register(table.name, open_dataset(directory, table))
    for view in VIEWS:
        connection.execute(f"CREATE VIEW {view.name} AS {for_duckdb(view.sql)}")
    return connection


def query_duckdb(directory: str, query: str) -> Result:
    """Run a query with DuckDB; a fault of the query is one sentence."""
    import duckdb

    with open_duckdb(directory) as connection:
        try:
            found = connection.execute(for_duckdb(query))
            columns = tuple(column[0] for column in found.description or ())
            return _result(columns, found.fetchall())
        except duckdb.Error as error:
            raise _refused(str(error)) from error


def query_spark(session: SparkSession, directory: str, query: str) -> Result:
    """Run a query in a session of Spark."""
    from pyspark.errors import PySparkException

    from sinks.views import create_views

    create_views(session, directory)
    try:
        frame = session.sql(query)
        return _result(tuple(frame.columns), [tuple(row) for row in frame.collect()])
    except PySparkException as error:
        raise _refused(str(error)) from error


def _result(columns: Sequence[str], rows: Iterable[Sequence[Any]]) -> Result:
    return Result(
        tuple(columns),
        [dict(zip(columns, map(_plain, row), strict=True)) for row in rows],
    )


def _plain(value: Any) -> Any:
    """A value as both engines print it: instants to the second, in UTC."""
    if isinstance(value, datetime):
        return value.strftime("%Y-%m-%d %H:%M:%S")
    if isinstance(value, bytes | bytearray | memoryview):
        return bytes(value).decode(errors="replace")
    return value


def _refused(problem: str) -> OperatorError:
    first = problem.strip().splitlines()[0]
    names = ", ".join([table.name for table in TABLES] + [view.name for view in VIEWS])
    return OperatorError(f"the query cannot be run: {first}; there are {names}", ExitCode.USAGE)
