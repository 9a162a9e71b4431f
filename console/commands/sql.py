"""`precede sql`: ask the tables in SQL, or get the statements that name them."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from console.answers.rows import ROWS_AS_TABLE, RowsOutput, show_rows
from console.answers.sql import Engine
from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode, OperatorError
from console.shared_options import Tables
from console.terminal import terminal_of_process

if TYPE_CHECKING:
    from console.answers.sql import Result
    from streaming.settings import JobSettings

Query = Annotated[
    str | None,
    typer.Argument(
        metavar="QUERY",
        help="What to ask, in Spark's SQL; without it the statements for spark-sql are printed.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add `sql`."""
    app.command(
        "sql",
        epilog=(
            "\b\nExamples:\n"
            "  precede sql 'SELECT * FROM groups'\n"
            "  precede sql 'SELECT id, waiting_for FROM pending' --output jsonl\n"
            "  precede sql --properties > spark.conf\n"
            "  precede sql > views.sql\n"
            "  spark-sql --properties-file spark.conf -i views.sql"
        ),
    )(sql)


def sql(
    context: typer.Context,
    query: Query = None,
    engine: Annotated[
        Engine, typer.Option(help="duckdb (at once), spark, or the first that is installed.")
    ] = Engine.AUTO,
    is_permanent: Annotated[
        bool, typer.Option("--permanent", help="Print statements for a metastore.")
    ] = False,
    is_properties: Annotated[
        bool, typer.Option("--properties", help="Print what spark-sql must be started with.")
    ] = False,
    tables: Tables = None,
    output: RowsOutput = ROWS_AS_TABLE,
) -> None:
    """Run a query over the tables and the views pending, gaps, groups, threads and conversation.

    Without a query: print the statements that give tables and views their names in spark-sql.
    """
    from console.answers.sql import chosen

    if query is not None and (is_permanent or is_properties):
        raise OperatorError(
            "a query is run here; --permanent and --properties are for spark-sql and take none",
            ExitCode.USAGE,
        )
    terminal = terminal_of_process(os.environ)
    flags = [Flag("--tables", "job.tables_directory", tables)]
    job = load_for(context, flags).configuration.job
    if query is None:
        lines = _properties(job) if is_properties else _statements(job, is_permanent=is_permanent)
        for line in lines:
            terminal.emit(line)
        return
    result = _ask(job, query, chosen(engine))
    show_rows(
        terminal, result.rows, columns=result.columns, output=output, nothing="there are no rows"
    )


def _ask(job: JobSettings, query: str, engine: Engine) -> Result:
    from console.answers.sql import query_duckdb, query_spark

    if engine is Engine.DUCKDB:
        return query_duckdb(job.tables_directory, query)
    from console.local_jars import jars_for
    from streaming.session import open_session

    session = open_session(job, jars=jars_for(job.spark_master))
    try:
        return query_spark(session, job.tables_directory, query)
    finally:
        session.stop()


def _statements(job: JobSettings, *, is_permanent: bool) -> list[str]:
    from sinks.views import statements

    found = statements(job.tables_directory, is_permanent=is_permanent)
    return [f"{statement};" for statement in found]


def _properties(job: JobSettings) -> list[str]:
    from console.local_jars import jars_for
    from streaming.spark_options import as_properties, query_options

    return as_properties(query_options(job, jars=jars_for(job.spark_master)))
