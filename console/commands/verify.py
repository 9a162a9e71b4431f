"""`precede verify`: compare what was captured with what was delivered."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from typing import Annotated, Any

import typer

from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode
from console.shared_options import TABLE, Bootstrap, Output, Tables, TopicPrefix
from console.terminal import Colour, OutputFormat, Terminal, terminal_of_process
from console.verification_report import Report
from console.verification_sources import Client, verify_sources

WAIT_STEP_SECONDS = 1.0
ALWAYS_TOLD = ("captured", "delivered", "held", "duplicates", "quarantined")


WaitSeconds = Annotated[
    float,
    typer.Option(
        "--wait",
        metavar="SECONDS",
        min=0,
        help="While the job runs: how long the tables may lag.",
    ),
]


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
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    tables: Tables = None,
    wait_seconds: WaitSeconds = 0.0,
    client: Annotated[
        Client,
        typer.Option(help="Which Kafka client reads; kafka-python is slow, and shares no line."),
    ] = Client.CONFLUENT,
    output: Output = TABLE,
) -> None:
    """Read the raw topic, the ordered topic and the tables, and count what is wrong: 0 is right.

    Works on a running system: what the job has not looked at yet is not judged. Exit code 1 if any
    count is not 0.
    """
    from sinks.upkeep import parse_retention
    from streaming.policy import group_policies

    terminal = terminal_of_process(os.environ)
    configuration = load_for(
        context,
        [
            Flag("--bootstrap", "kafka.bootstrap", bootstrap),
            Flag("--topic-prefix", "kafka.topic_prefix", topic_prefix),
            Flag("--tables", "job.tables_directory", tables),
        ],
    ).configuration
    deadline = time.monotonic() + wait_seconds
    with terminal.step("comparing topics and tables"):
        while True:
            report = verify_sources(
                configuration.kafka,
                configuration.job.tables_directory,
                client=client,
                policies=group_policies(configuration.job),
                retention=parse_retention(configuration.job.retention),
            )
            if not is_only_lagging(report) or time.monotonic() > deadline:
                break
            time.sleep(WAIT_STEP_SECONDS)
    show_report(report, terminal, output)
    raise typer.Exit(ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


def is_only_lagging(report: Report) -> bool:
    """Could waiting help? Yes if nothing is wrong but what the tables or the job have yet to do."""
    wrong = {name for name, count in report.anomalies.items() if count}
    return wrong == {"unseen"} or (not wrong and report.counts["behind"] > 0)


def counts_line(counts: Mapping[str, int]) -> str:
    """What there is, always; what is seldom there, only if it is."""
    told = {name: count for name, count in counts.items() if count or name in ALWAYS_TOLD}
    return "  ".join(f"{name} {count}" for name, count in told.items())


def show_report(report: Report, terminal: Terminal, output: OutputFormat) -> None:
    """The counts and the anomalies; the last line of a table is the one that people look for."""
    if output is OutputFormat.JSON:
        result: dict[str, Any] = {"ok": report.ok, **report.anomalies, **report.counts}
        terminal.emit_json(result | {"examples": report.examples})
        return
    terminal.emit(counts_line(report.counts))
    for name, examples in report.examples.items():
        for example in examples:
            terminal.emit(f"{terminal.paint(name, Colour.BAD)}: {example}")
    terminal.emit(terminal.paint(report.line(), Colour.GOOD if report.ok else Colour.BAD))
