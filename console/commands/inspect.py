"""`precede inspect`: what a job's checkpoint holds."""

from __future__ import annotations

import os
from fnmatch import fnmatchcase
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.answers.rows import ROWS_AS_TABLE, RowsFormat, RowsOutput, json_line, show_rows
from console.configuration.invocation import load_for
from console.configuration.sources import Flag
from console.terminal import Colour, printable, terminal_of_process

if TYPE_CHECKING:
    from console.answers.checkpoint import Checkpoint, GroupFacts
    from console.terminal import Terminal
    from ordering_udfs.shard_state import ShardState

PARTITION_COLUMNS = (
    "partition", "through_offset", "captured", "delivered", "held", "duplicates", "quarantined",
    "groups", "state_bytes", "log_time_at",
)  # fmt: skip
GROUP_COLUMNS = ("group", "partition", "delivered", "held", "missing", "state_bytes", "policy")


def register(app: typer.Typer) -> None:
    """Add `inspect`."""
    app.command(
        "inspect",
        epilog=(
            "\b\nExamples:\n"
            "  precede inspect\n"
            "  precede inspect --checkpoint .precede/checkpoint --group 'floor.*' --output json"
        ),
    )(inspect)


def inspect(
    context: typer.Context,
    checkpoint: Annotated[
        str | None,
        typer.Option(
            metavar="FOLDER", help="Folder of the checkpoint; else job.checkpoint_directory."
        ),
    ] = None,
    group: Annotated[
        str,
        typer.Option(
            "--group",
            metavar="PATTERN",
            help="Only groups that this pattern fits, as in job.groups.",
        ),
    ] = "*",
    limit: Annotated[
        int,
        typer.Option("-n", "--limit", metavar="COUNT", min=1, help="Show at most so many groups."),
    ] = 20,
    output: RowsOutput = ROWS_AS_TABLE,
) -> None:
    """Show how far a job is, what each partition came to, and what each group holds.

    Reads the checkpoint's files while the job runs or after it stopped; needs neither Spark nor the
    broker, but a checkpoint in a folder that this machine can read. Groups that hold most come
    first.
    """
    from console.answers.checkpoint import Checkpoint, group_facts
    from streaming.policy import group_policies

    terminal = terminal_of_process(os.environ)
    flags = [Flag("--checkpoint", "job.checkpoint_directory", checkpoint)]
    job = load_for(context, flags).configuration.job
    found = Checkpoint(job.checkpoint_directory)
    states = found.states()
    facts = sorted(
        group_facts(states, group_policies(job), is_wanted=lambda name: fnmatchcase(name, group)),
        key=lambda one: (-one.held, -one.state_bytes, one.group),
    )
    if output is RowsFormat.TABLE:
        _show(terminal, found, states, facts, limit=limit)
    else:
        terminal.emit(json_line(_as_json(found, states, facts, limit=limit)))


def _as_json(
    found: Checkpoint, states: dict[int, ShardState], facts: list[GroupFacts], *, limit: int
) -> dict[str, Any]:
    from console.answers.checkpoint import partition_rows

    return {
        "ok": True,
        "manifest": found.manifest._asdict(),
        "queries": [one._asdict() for one in found.progress()],
        "partitions": list(partition_rows(states)),
        "unknown_partitions": found.unknown_partitions(states),
        "groups": [one._asdict() for one in facts[:limit]],
        "group_count": len(facts),
    }


def _show(
    terminal: Terminal,
    found: Checkpoint,
    states: dict[int, ShardState],
    facts: list[GroupFacts],
    *,
    limit: int,
) -> None:
    from console.answers.checkpoint import partition_rows

    table = RowsFormat.TABLE
    _show_job(terminal, found)
    rows = list(partition_rows(states))
    show_rows(terminal, rows, columns=PARTITION_COLUMNS, output=table, nothing="no state yet")
    unknown = found.unknown_partitions(states)
    if unknown:
        numbers = ", ".join(map(str, unknown))
        terminal.say(f"nothing came yet to partition {numbers}")
    terminal.emit()
    groups = [one._asdict() for one in facts[:limit]]
    show_rows(terminal, groups, columns=GROUP_COLUMNS, output=table, nothing="no groups")
    if len(facts) > limit:
        terminal.say(f"{len(facts) - limit} more groups: --limit {len(facts)} shows all")


def _show_job(terminal: Terminal, found: Checkpoint) -> None:
    manifest = found.manifest
    topics = "  ".join(
        f"{terminal.paint(topic, Colour.STRONG)}  partitions {partitions}"
        for topic, partitions in manifest.raw_topics.items()
    )
    terminal.emit(f"{topics}  tasks {manifest.tasks}  policies {printable(manifest.policies)}")
    for one in found.progress():
        ends = " ".join(
            f"{topic}[{', '.join(f'{number}:{end}' for number, end in sorted(ends.items()))}]"
            for topic, ends in sorted(one.offsets.items())
        )
        begun = "none" if one.begun is None else one.begun
        committed = "none" if one.committed is None else one.committed
        terminal.emit(f"{one.query:<8}  batch {begun} begun, {committed} committed  {ends}")
    terminal.emit()
