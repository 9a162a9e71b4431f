"""`precede run`: the job in the foreground."""

from __future__ import annotations

import os
import signal
import threading
from typing import Annotated

import typer

from console.configuration.invocation import load_for
from console.configuration.sections import Configuration
from console.terminal import Terminal, terminal_of_process
from ingest.telemetry.journal import Journal, is_json_wanted
from ingest.telemetry.log_bridge import bridged

READY_LINE = "ready"


def register(app: typer.Typer) -> None:
    """Add `run`."""
    app.command(
        "run",
        epilog=(
            "\b\nExamples:\n"
            "  precede run\n"
            "  precede run --once --set kafka.bootstrap=127.0.0.1:9092"
        ),
    )(run)


def run(
    context: typer.Context,
    is_once: Annotated[
        bool,
        typer.Option("--once", help="Order what the raw topic holds now, write it, and end."),
    ] = False,
) -> None:
    """Order what the agents capture: raw topic in, ordered topic and Delta tables out.

    First start, restart, after a crash: always this command. SIGTERM and Ctrl-C let the batch that
    runs finish and end with exit code 0; the next start goes on from there.
    """
    terminal = terminal_of_process(os.environ)
    configuration = load_for(context).configuration
    is_stopping = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: is_stopping.set())
    _run_job(configuration, terminal, is_once=is_once, is_stopping=is_stopping)


def _run_job(
    configuration: Configuration, terminal: Terminal, *, is_once: bool, is_stopping: threading.Event
) -> None:
    from console.local_jars import jars_for
    from streaming.job import open_job
    from streaming.policy import group_policies

    settings = configuration.job
    is_json = is_json_wanted(settings.log_format, is_terminal=terminal.progress.isatty())
    journal = Journal(terminal.progress, is_json=is_json)
    with bridged(journal, "streaming", "sinks"):
        with terminal.step("starting Spark"):
            job = open_job(
                kafka=configuration.kafka,
                settings=settings,
                policies=group_policies(settings),
                jars=jars_for(settings.spark_master),
                tell=journal,
            )
        if is_once:
            with terminal.step("ordering what the raw topic holds"):
                job.drain()
            return
        job.run(is_stopping=is_stopping.is_set, on_ready=lambda: terminal.emit(READY_LINE))
    terminal.say("stopped; the next start goes on from here")
