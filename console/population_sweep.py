"""The sweep of populations behind `precede simulate --world members`: run, show, explain."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from console.errors import UsageError
from console.terminal import CLEAR_LINE, OutputFormat, Terminal

if TYPE_CHECKING:
    from simulation.populations.sweep import Failure, Summary

FAILURES_EXPLAINED = 3


def sweep_populations(
    seeds: int,
    *,
    first: int,
    discipline: str | None,
    output: OutputFormat,
    terminal: Terminal,
) -> bool:
    """Run populations of members and show what they came to; tell whether all went well."""
    from simulation.populations.options import OFFERED

    if discipline is not None and discipline not in OFFERED:
        raise UsageError(
            f"members are not simulated in the order {discipline!r}: one of {', '.join(OFFERED)}"
        )
    started = time.monotonic()
    total = _run(seeds, first=first, discipline=discipline, terminal=terminal)
    took_s = time.monotonic() - started
    if output is OutputFormat.JSON:
        terminal.emit_json(total.as_result(first=first, took_s=took_s))
    else:
        terminal.emit(total.line())
        terminal.say(f"{took_s:.1f} s, {total.seeds / took_s:,.0f} populations/s")
    for failure in total.failures[:FAILURES_EXPLAINED]:
        terminal.say(explain(failure, discipline=discipline))
    return total.ok


def _run(seeds: int, *, first: int, discipline: str | None, terminal: Terminal) -> Summary:
    from simulation.populations.sweep import Summary, sweep

    total = Summary()
    for chunk in sweep(seeds, first=first, discipline=discipline):
        total.add(chunk)
        if terminal.is_progress_live:
            terminal.progress.write(f"{CLEAR_LINE}{total.seeds:,}/{seeds:,} populations")
            terminal.progress.flush()
    if terminal.is_progress_live:
        terminal.progress.write(CLEAR_LINE)
        terminal.progress.flush()
    return total


def explain(failure: Failure, *, discipline: str | None) -> str:
    """A failing seed for people: what broke, how to run it again, and its options."""
    from simulation.populations.options import describe, expand

    return "\n".join(
        [
            f"\nseed {failure.seed} broke {', '.join(failure.checkers)}: {failure.sentence}",
            f"run it again: {failure.command(discipline)}",
            "its population:",
            describe(expand(failure.seed, discipline=discipline)),
        ]
    )
