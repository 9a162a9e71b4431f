"""`precede demo`: the whole way, real, in one command."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from pathlib import Path
from typing import Annotated

import typer

from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode
from console.terminal import OutputFormat, terminal_of_process

DEMOS_FOLDER = "demos"


def register(app: typer.Typer) -> None:
    """Add `demo`."""
    app.command(
        "demo",
        epilog=(
            "\b\nExamples:\n"
            "  precede demo\n"
            "  precede demo --seconds 40 --loss 30 --dup 20 --jitter 2000 --seed 7\n"
            "  precede demo --keep"
        ),
    )(demo)


def demo(
    context: typer.Context,
    seconds: Annotated[
        int | None, typer.Option(help="How long the members talk.", show_default=False)
    ] = None,
    seed: Annotated[
        int | None, typer.Option(help="Seed of the network's faults.", show_default=False)
    ] = None,
    loss: Annotated[
        float | None,
        typer.Option(help="Share of datagrams lost and resent, in percent.", show_default=False),
    ] = None,
    dup: Annotated[
        float | None,
        typer.Option(help="Share of datagrams that arrive twice, in percent.", show_default=False),
    ] = None,
    jitter: Annotated[
        int | None,
        typer.Option(help="Delay of a datagram, up to this many ms.", show_default=False),
    ] = None,
    is_kept: Annotated[
        bool, typer.Option("--keep", help="Keep topics, tables and logs, to look at them.")
    ] = False,
    output: Annotated[
        OutputFormat, typer.Option("--output", help="A table for people or one JSON object.")
    ] = OutputFormat.TABLE,
) -> None:
    """See it work: real members, multicast, Kafka, Spark and Delta, on a network that misbehaves.

    Ends with a line that counts what went wrong, and with exit code 0 if nothing did.
    """
    from console.commands.verify import show_report
    from console.demo.performance import Performance
    from deploy.local.place import state_directory

    terminal = terminal_of_process(os.environ)
    settings = load_for(
        context,
        [
            Flag("--seconds", "demo.seconds", seconds),
            Flag("--seed", "demo.seed", seed),
            Flag("--loss", "demo.loss", loss),
            Flag("--dup", "demo.dup", dup),
            Flag("--jitter", "demo.jitter_ms", jitter),
            Flag("--keep", "demo.keep", is_kept or None),
        ],
    ).configuration.demo
    # A terminal that is closed ends the demo as Ctrl-C does, so that its children are stopped.
    signal.signal(signal.SIGTERM, _interrupt)
    demos = state_directory() / DEMOS_FOLDER
    demos.mkdir(parents=True, exist_ok=True)
    directory = Path(tempfile.mkdtemp(prefix="demo-", dir=demos))
    report = Performance(directory, demo=settings, terminal=terminal).run()
    show_report(report, terminal, output)
    if settings.keep or not report.ok:
        terminal.say(f"kept in {directory}; its configuration is {directory / 'precede.toml'}")
    else:
        shutil.rmtree(directory, ignore_errors=True)
    raise typer.Exit(ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
