"""`precede verify`: compare what was captured with what was delivered."""

from __future__ import annotations

import os
import time
from typing import Annotated, Any

import typer

from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode
from console.terminal import Colour, OutputFormat, Terminal, terminal_of_process
from console.verification import Report

WAIT_STEP_SECONDS = 1.0


def register(app: typer.Typer) -> None:
    """Add `verify`."""
    app.command(
        "verify",
        epilog=(
            "\b\nExamples:\n"
            "  precede verify\n"
            "  precede verify --topic-prefix floor --tables /data/floor/tables --output json"
        ),
    )(verify)


def verify(
    context: typer.Context,
    bootstrap: Annotated[
        str | None, typer.Option(help="Address of the broker; else kafka.bootstrap.")
    ] = None,
    topic_prefix: Annotated[
        str | None, typer.Option(help="First word of the topics; else kafka.topic_prefix.")
    ] = None,
    tables: Annotated[
        str | None, typer.Option(help="Folder of the tables; else job.tables_directory.")
    ] = None,
    wait_seconds: Annotated[
        float,
        typer.Option("--wait", min=0, help="While the job runs: how long the tables may lag."),
    ] = 0.0,
    output: Annotated[
        OutputFormat, typer.Option("--output", help="A table for people or one JSON object.")
    ] = OutputFormat.TABLE,
) -> None:
    """Read the raw topic, the ordered topic and the tables, and count what is wrong: 0 is right.

    Works on a running system: what the job has not looked at yet is not judged. Exit code 1 if any
    count is not 0.
    """
    from console.verification_sources import verify_sources

    terminal = terminal_of_process(os.environ)
    configuration = load_for(
        context,
        [
            Flag("--bootstrap", "kafka.bootstrap", bootstrap),
            Flag("--topic-prefix", "kafka.topic_prefix", topic_prefix),
            Flag("--tables", "job.tables_directory", tables),
        ],
    ).configuration
    directory = configuration.job.tables_directory
    deadline = time.monotonic() + wait_seconds
    with terminal.step("comparing topics and tables"):
        while True:
            report = verify_sources(configuration.kafka, directory)
            if not is_only_lagging(report) or time.monotonic() > deadline:
                break
            time.sleep(WAIT_STEP_SECONDS)
    show_report(report, terminal, output)
    raise typer.Exit(ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


def is_only_lagging(report: Report) -> bool:
    """Could waiting help? Yes if nothing is wrong but what the tables or the job have yet to do."""
    wrong = {name for name, count in report.anomalies.items() if count}
    return wrong == {"unseen"} or (not wrong and report.counts["behind"] > 0)


def show_report(report: Report, terminal: Terminal, output: OutputFormat) -> None:
    """The counts and the anomalies; the last line of a table is the one that people look for."""
    if output is OutputFormat.JSON:
        result: dict[str, Any] = {"ok": report.ok, **report.anomalies, **report.counts}
        terminal.emit_json(result | {"examples": report.examples})
        return
    terminal.emit("  ".join(f"{name} {count}" for name, count in report.counts.items()))
    for name, examples in report.examples.items():
        for example in examples:
            terminal.emit(f"{terminal.paint(name, Colour.BAD)}: {example}")
    terminal.emit(terminal.paint(report.line(), Colour.GOOD if report.ok else Colour.BAD))
