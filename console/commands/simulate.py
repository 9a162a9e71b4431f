"""`precede simulate`: run the engine in seeded worlds that try to break it."""

from __future__ import annotations

import os
import time
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.errors import ExitCode, UsageError
from console.population_sweep import sweep_populations
from console.terminal import (
    CLEAR_LINE,
    OutputFormat,
    Terminal,
    terminal_of_process,
)

if TYPE_CHECKING:
    from simulation.sweep import Failure, Summary

DEFAULT_SEEDS = 1_000


class WorldKind(StrEnum):
    """What is simulated."""

    ENGINE = "engine"
    """the engine, in one world with members, edges and a service"""
    MEMBERS = "members"
    """whole populations of members that join, leave and synchronise without a server"""


BAR_WIDTH = 30
FAILURES_SHRUNK = 3
"""Shrinking takes seconds each; three failing seeds are enough to start with."""


MaybeDiscipline = Annotated[
    str | None,
    typer.Option(
        "--discipline",
        metavar="DISCIPLINE",
        help="Keep every group in this order; else each seed draws.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add `simulate`."""
    app.command(
        "simulate",
        epilog=(
            "\b\nExamples:\n"
            "  precede simulate --seeds 20000\n"
            "  precede simulate --seeds 1 --from 4711          # run one seed again\n"
            "  precede simulate --seeds 5000 --discipline causal --output json\n"
            "  precede simulate --world members --seeds 500    # populations without a server"
        ),
    )(simulate)


def simulate(
    seeds: Annotated[
        int, typer.Option("--seeds", metavar="COUNT", min=1, help="How many worlds.")
    ] = DEFAULT_SEEDS,
    first: Annotated[
        int, typer.Option("--from", metavar="SEED", min=0, help="The first seed.")
    ] = 0,
    maybe_discipline: MaybeDiscipline = None,
    world: Annotated[
        WorldKind, typer.Option("--world", help="The engine alone, or populations of members.")
    ] = WorldKind.ENGINE,
    output: Annotated[
        OutputFormat, typer.Option("--output", help="A line for people or one JSON object.")
    ] = OutputFormat.TABLE,
) -> None:
    """Run the engine in seeded worlds: loss, duplicates, partitions, crashes, hostile senders.

    Exits with 1 if any promise was broken; each failing seed is shown small, with the command that
    runs it again.
    """
    terminal = terminal_of_process(os.environ)
    if world is WorldKind.MEMBERS:
        is_ok = sweep_populations(
            seeds, first=first, discipline=maybe_discipline, output=output, terminal=terminal
        )
        if not is_ok:
            raise typer.Exit(ExitCode.CHECK_FAILED)
        return
    check_discipline(maybe_discipline)
    if seeds == 1:
        terminal.say(tell_world(first, discipline=maybe_discipline))
    started = time.monotonic()
    summary = run_sweep(seeds, first=first, discipline=maybe_discipline, terminal=terminal)
    took_s = time.monotonic() - started
    if output is OutputFormat.JSON:
        result = as_result(summary, first=first, discipline=maybe_discipline, took_s=took_s)
        terminal.emit_json(result)
    else:
        terminal.emit(summary.line())
        terminal.say(f"{took_s:.1f} s, {summary.seeds / took_s:,.0f} seeds/s")
    for failure in summary.failures[:FAILURES_SHRUNK]:
        terminal.say(explain(failure, discipline=maybe_discipline))
    if not summary.ok:
        raise typer.Exit(ExitCode.CHECK_FAILED)


def tell_world(seed: int, *, discipline: str | None) -> str:
    """The options of one world: what the seed means."""
    from simulation.options import describe, expand

    return f"the world of seed {seed}:\n{describe(expand(seed, discipline=discipline))}"


def replay_command(seed: int, *, discipline: str | None) -> str:
    """What to type to run one seed again."""
    chosen = f" --discipline {discipline}" if discipline else ""
    return f"precede simulate --seeds 1 --from {seed}{chosen}"


def check_discipline(maybe_name: str | None) -> None:
    """Refuse a name that no discipline has."""
    from simulation.options import DISCIPLINES

    if maybe_name is not None and maybe_name not in DISCIPLINES:
        raise UsageError(f"there is no discipline {maybe_name!r}: one of {', '.join(DISCIPLINES)}")


def run_sweep(seeds: int, *, first: int, discipline: str | None, terminal: Terminal) -> Summary:
    """Run the seeds and show how far it has come."""
    from simulation.sweep import Summary, sweep

    total = Summary()
    started = time.monotonic()
    for chunk in sweep(seeds, first=first, discipline=discipline):
        total.add(chunk)
        if terminal.is_progress_live:
            elapsed_s = time.monotonic() - started
            terminal.progress.write(CLEAR_LINE + bar(total, seeds=seeds, elapsed_s=elapsed_s))
            terminal.progress.flush()
    if terminal.is_progress_live:
        terminal.progress.write(CLEAR_LINE)
        terminal.progress.flush()
    return total


def bar(done: Summary, *, seeds: int, elapsed_s: float) -> str:
    """A line that grows: how much is done, how fast, how long it still takes, what failed."""
    filled = BAR_WIDTH * done.seeds // seeds
    per_s = done.seeds / elapsed_s if elapsed_s > 0 else 0.0
    left_s = (seeds - done.seeds) / per_s if per_s else 0.0
    failed = sum(done.broken.values())
    return (
        f"[{'#' * filled}{'.' * (BAR_WIDTH - filled)}] {done.seeds:,}/{seeds:,} seeds  "
        f"{per_s:,.0f}/s  {left_s:,.0f} s left" + (f"  broken {failed:,}" if failed else "")
    )


def explain(failure: Failure, *, discipline: str | None) -> str:
    """A failing seed for people: how to run it again, its options, its shortest history."""
    from simulation.options import describe, expand
    from simulation.replay import printed
    from simulation.shrink import shrink

    options = expand(failure.seed, discipline=discipline)
    lines = [
        f"\nseed {failure.seed} broke {', '.join(failure.checkers)}: {failure.sentence}",
        f"run it again: {replay_command(failure.seed, discipline=discipline)}",
        tell_world(failure.seed, discipline=discipline),
    ]
    maybe_shrunk = shrink(options, checker=failure.checkers[0])
    if maybe_shrunk is not None:
        lines += ["the smallest world that still fails:", describe(maybe_shrunk.options)]
        lines.append(str(maybe_shrunk.violation))
        if maybe_shrunk.maybe_endpoint is not None:
            lines += ["its shortest history:", printed(maybe_shrunk.maybe_endpoint)]
    return "\n".join(lines)


def as_result(
    summary: Summary, *, first: int, discipline: str | None, took_s: float
) -> dict[str, Any]:
    """The sweep as one JSON object."""
    from simulation.judge import CHECKERS

    return {
        "ok": summary.ok,
        "seeds": summary.seeds,
        "first_seed": first,
        "messages": summary.messages,
        "receipts": summary.receipts,
        "crash_points": summary.crash_points,
        "digest": f"{summary.digest:016x}",
        "took_s": round(took_s, 1),
        "broken": {checker: summary.broken[checker] for checker in CHECKERS},
        "failures": [
            {**failure._asdict(), "replay": replay_command(failure.seed, discipline=discipline)}
            for failure in summary.failures
        ],
    }
