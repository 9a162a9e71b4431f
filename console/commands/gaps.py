"""`precede gaps`: what is missing, and how much waits for it."""

from __future__ import annotations

import os

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

COLUMNS = ("group", "missing", "measure", "by", "waiting", "blocked", "since")


def register(app: typer.Typer) -> None:
    """Add `gaps`."""
    app.command(
        "gaps",
        epilog=("\b\nExamples:\n  precede gaps\n  precede gaps --group shop --output json"),
    )(gaps)


def gaps(
    context: typer.Context,
    group: MaybeGroup = None,
    source: From = FROM_TABLES,
    tables: Tables = None,
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    output: RowsOutput = ROWS_AS_TABLE,
) -> None:
    """List what is missing: how many messages wait for it directly, and how many it blocks in all.

    The one that blocks most comes first.
    """
    from console.answers.places import load_places
    from console.answers.waiting import gaps_of, pending_of

    terminal = terminal_of_process(os.environ)
    places = load_places(context, tables=tables, bootstrap=bootstrap, topic_prefix=topic_prefix)
    found = [
        gap._asdict()
        for gap in gaps_of(pending_of(places.wait_rows(source)))
        if group is None or gap.group == group
    ]
    show_rows(terminal, found, columns=COLUMNS, output=output, nothing="nothing is missing")
