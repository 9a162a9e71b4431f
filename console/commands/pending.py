"""`precede pending`: what is held now, and what it waits for."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from console.answers.rows import ROWS_AS_TABLE, RowsOutput, show_rows
from console.shared_options import (
    FROM_TABLES,
    Bootstrap,
    From,
    MaybeGroup,
    Tables,
    TopicPrefix,
)
from console.terminal import terminal_of_process

COLUMNS = ("group", "id", "waiting_for", "measure", "by", "since")


def register(app: typer.Typer) -> None:
    """Add `pending`."""
    app.command(
        "pending",
        epilog=(
            "\b\nExamples:\n"
            "  precede pending\n"
            "  precede pending --group shop --output jsonl\n"
            "  precede pending --source topics"
        ),
    )(pending)


def pending(
    context: typer.Context,
    group: MaybeGroup = None,
    limit: Annotated[
        int, typer.Option("-n", "--limit", metavar="COUNT", min=1, help="Show at most so many.")
    ] = 50,
    source: From = FROM_TABLES,
    tables: Tables = None,
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    output: RowsOutput = ROWS_AS_TABLE,
) -> None:
    """List the messages that are held, the longest wait first, and what each waits for."""
    from console.answers.places import load_places
    from console.answers.waiting import pending_of

    terminal = terminal_of_process(os.environ)
    places = load_places(context, tables=tables, bootstrap=bootstrap, topic_prefix=topic_prefix)
    held = [
        one for one in pending_of(places.wait_rows(source)) if group is None or one.group == group
    ]
    show_rows(
        terminal,
        [one._asdict() for one in held[:limit]],
        columns=COLUMNS,
        output=output,
        nothing="nothing is held" + (f" in {group}" if group else ""),
    )
    if len(held) > limit:
        terminal.say(f"{len(held) - limit} more: --limit {len(held)} shows all")
