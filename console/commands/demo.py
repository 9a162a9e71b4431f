"""`precede demo`: the whole way, real, in one command."""

from __future__ import annotations

import os
import shutil
import signal
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Annotated

import typer

from console.configuration.demo import DemoSettings
from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.errors import ExitCode, OperatorError
from console.shared_options import TABLE, Output
from console.terminal import Terminal, terminal_of_process
from console.verification_report import Report

DEMOS_FOLDER = "demos"


def register(app: typer.Typer) -> None:
    """Add `demo`."""
    app.command(
        "demo",
        epilog=(
            "\b\nExamples:\n"
            "  precede demo\n"
            "  precede demo --seconds 40 --loss 30 --dup 20 --jitter 2000 --seed 7\n"
            "  precede demo --scene traces\n"
            "  precede demo --keep"
        ),
    )(demo)


SceneName = Annotated[
    str | None,
    typer.Option("--scene", metavar="SCENE", help="conversation, traces, incident or causal."),
]
Page = Annotated[bool, typer.Option("--page/--no-page", help="Serve the web page while it runs.")]
Seconds = Annotated[int | None, typer.Option(metavar="SECONDS", help="How long the members talk.")]
Seed = Annotated[int | None, typer.Option(metavar="SEED", help="Seed of the network's faults.")]
Loss = Annotated[
    float | None, typer.Option(metavar="PERCENT", help="Percent of datagrams lost and resent.")
]
Duplication = Annotated[
    float | None, typer.Option(metavar="PERCENT", help="Percent of datagrams that come twice.")
]
Jitter = Annotated[
    int | None, typer.Option(metavar="MS", help="Delay of a datagram, up to this many ms.")
]
Kept = Annotated[bool, typer.Option("--keep", help="Leave it up until Ctrl-C; keep the files.")]


def demo(
    context: typer.Context,
    scene: SceneName = None,
    is_page_served: Page = True,
    seconds: Seconds = None,
    seed: Seed = None,
    loss: Loss = None,
    dup: Duplication = None,
    jitter: Jitter = None,
    is_kept: Kept = False,
    output: Output = TABLE,
) -> None:
    """See it work: real members, multicast, Kafka, Spark and Delta, on a network that misbehaves.

    Ends with a line that counts what went wrong, and with exit code 0 if nothing did.
    """
    from console.commands.verify import show_report

    terminal = terminal_of_process(os.environ)
    settings = load_for(
        context,
        [
            Flag("--scene", "demo.scene", scene),
            Flag("--no-page", "demo.page", None if is_page_served else False),
            Flag("--seconds", "demo.seconds", seconds),
            Flag("--seed", "demo.seed", seed),
            Flag("--loss", "demo.loss", loss),
            Flag("--dup", "demo.dup", dup),
            Flag("--jitter", "demo.jitter_ms", jitter),
            Flag("--keep", "demo.keep", is_kept or None),
        ],
    ).configuration.demo
    # A terminal that is closed ends the demo as Ctrl-C does, so that its children are stopped.
    for number in (signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, _interrupt)
    report, directory = _perform(
        settings, terminal, lambda report: show_report(report, terminal, output)
    )
    if settings.keep or not report.ok:
        terminal.say(f"kept in {directory}; look at it with --config {directory}/precede.toml")
    else:
        shutil.rmtree(directory, ignore_errors=True)
    raise typer.Exit(ExitCode.OK if report.ok else ExitCode.CHECK_FAILED)


def _perform(
    settings: DemoSettings, terminal: Terminal, show: Callable[[Report], None]
) -> tuple[Report, Path]:
    """Play it in a folder of its own, and say where that is if it fails."""
    from console.demo.performance import Performance
    from deploy.local.place import state_directory

    demos = state_directory() / DEMOS_FOLDER
    try:
        demos.mkdir(parents=True, exist_ok=True)
        directory = Path(tempfile.mkdtemp(prefix="demo-", dir=demos))
    except OSError as error:
        raise OperatorError(
            f"the demo cannot write in {demos} ({(error.strerror or str(error)).lower()}); "
            "free some room, or set PRECEDE_HOME to another folder"
        ) from error
    report = Performance(directory, demo=settings, terminal=terminal).run(show=show)
    return report, directory


def _interrupt(*_: object) -> None:
    raise KeyboardInterrupt
