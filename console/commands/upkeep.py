"""`precede upkeep`: keep the Delta tables small and fast, beside the running job."""

from __future__ import annotations

import dataclasses
import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.configuration.invocation import load_for
from console.shared_options import TABLE, Output
from console.terminal import OutputFormat, Terminal, terminal_of_process

if TYPE_CHECKING:
    from sinks.upkeep import Upkeep

SIZE_UNITS = ("B", "KiB", "MiB", "GiB", "TiB")
STEP = 1_024


def register(app: typer.Typer) -> None:
    """Add `upkeep`."""
    app.command(
        "upkeep",
        epilog=(
            "\b\nExamples:\n"
            "  precede upkeep                 # say what would be done\n"
            "  precede upkeep --apply         # do it\n"
            "  precede upkeep --apply --set 'job.retention=[\"quarantine=30\"]'"
        ),
    )(upkeep)


def upkeep(
    context: typer.Context,
    is_applied: Annotated[
        bool, typer.Option("--apply", help="Do it; without this, only say what would be done.")
    ] = False,
    output: Output = TABLE,
) -> None:
    """Compact the tables' small files, delete rows past job.retention, and files past use.

    Safe while the job runs: each step is one commit that the job's appends never meet.
    """
    from console.local_jars import jars_for
    from sinks.tables import TABLES
    from sinks.upkeep import keep_up, parse_retention, require_tables
    from streaming.errors import spark_classified
    from streaming.session import open_session

    terminal = terminal_of_process(os.environ)
    settings = load_for(context).configuration.job
    days = parse_retention(settings.retention)
    require_tables(settings.tables_directory)
    # A folder of its own: the job may be at work in the other one.
    scratch = str(Path(settings.scratch_directory) / "upkeep")
    apart = dataclasses.replace(settings, scratch_directory=scratch)
    with terminal.step("starting Spark"):
        session = open_session(apart, jars=jars_for(settings.spark_master))
    done: list[Upkeep] = []
    for table in TABLES:
        step = terminal.step(f"{'keeping up' if is_applied else 'looking at'} {table.name}")
        with step, spark_classified():
            done.append(
                keep_up(
                    session,
                    settings.tables_directory,
                    table,
                    maybe_days=days.get(table.name),
                    vacuum_hours=settings.vacuum_hours,
                    is_dry=not is_applied,
                )
            )
    show(done, terminal, output, is_applied=is_applied)


def show(done: list[Upkeep], terminal: Terminal, output: OutputFormat, *, is_applied: bool) -> None:
    """One line for each table."""
    if output is OutputFormat.JSON:
        tables: list[dict[str, Any]] = [
            one._asdict() | {"before": one.before._asdict(), "after": one.after._asdict()}
            for one in done
        ]
        terminal.emit_json({"ok": True, "applied": is_applied, "tables": tables})
        return
    removed = "removed" if is_applied else "removable"
    expired = "expired rows" if is_applied else "rows to expire"
    header = ["table", "files", "size", expired, f"{removed} files"]
    rows = [
        [
            one.table,
            _change(one.before.files, one.after.files, is_applied=is_applied),
            size_text(one.after.bytes),
            str(one.expired_rows),
            str(one.removed_files),
        ]
        for one in done
    ]
    terminal.emit_table(header, rows)
    if not is_applied:
        terminal.say(
            "nothing was changed; --apply does it, and makes few large files of many small ones"
        )


def size_text(size: int) -> str:
    """A size as people read it: a few digits and a unit."""
    power = 0
    while size >= STEP ** (power + 1) and power < len(SIZE_UNITS) - 1:
        power += 1
    return f"{size / STEP**power:.{min(power, 1)}f} {SIZE_UNITS[power]}"


def _change(before: int, after: int, *, is_applied: bool) -> str:
    return f"{before} -> {after}" if is_applied else str(before)
