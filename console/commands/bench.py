"""`precede bench`: measure how fast a part of Precede is, as rates and ratios within one run."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Annotated

import typer

from benchmarks.registry import BENCHMARKS, find_benchmark
from console.errors import ExitCode
from console.shared_options import TABLE, Output
from console.terminal import Colour, OutputFormat, Terminal, terminal_of_process

if TYPE_CHECKING:
    from benchmarks.figures import Measured


def register(app: typer.Typer) -> None:
    """Add `bench`."""
    app.command(
        "bench",
        epilog=(
            "\b\nExamples:\n"
            "  precede bench engine\n"
            "  precede bench authentication\n"
            "  precede bench soak --minutes 5\n"
            "  precede bench engine --output json > figures.json"
        ),
    )(bench)


def bench(
    name: Annotated[str, typer.Argument(metavar="NAME", help=f"One of {', '.join(BENCHMARKS)}.")],
    minutes: Annotated[
        float | None,
        typer.Option(
            "--minutes",
            metavar="MINUTES",
            min=0.5,
            help="How long the soak lasts (30 unless told).",
        ),
    ] = None,
    output: Output = TABLE,
) -> None:
    """Measure how fast a part of Precede is on this machine.

    A missed goal is shown and is no failure: how busy a machine is, is not for Precede to decide.
    Exits with 1 if something that was measured did not deliver all of its messages.
    """
    terminal = terminal_of_process(os.environ)
    benchmark = find_benchmark(name, maybe_minutes=minutes)
    measured = benchmark(terminal.say)
    show(measured, terminal, output)
    for fault in measured.faults:
        terminal.complain(fault)
    if measured.faults:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def show(measured: Measured, terminal: Terminal, output: OutputFormat) -> None:
    """One line for each figure, or all of them as one JSON object."""
    from benchmarks.figures import HEADER

    if output is OutputFormat.JSON:
        terminal.emit_json(measured.as_result())
        return
    colours = {"reached": Colour.GOOD, "missed": Colour.WARNING}
    rows = [
        (*cells, terminal.paint(told, colours[told]) if told else "")
        for *cells, told in measured.as_rows()
    ]
    terminal.emit_table(HEADER, rows)
