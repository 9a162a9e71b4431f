"""`precede why`: what became of a message, and what it waits for, down to the missing one."""

from __future__ import annotations

import os

import typer

from console.answers.rows import ROWS_AS_TABLE, RowsFormat, RowsOutput, json_line
from console.errors import ExitCode
from console.shared_options import (
    FROM_TABLES,
    Bootstrap,
    From,
    MaybeGroup,
    MessageIdText,
    Tables,
    TopicPrefix,
)
from console.terminal import Colour, printable, terminal_of_process


def register(app: typer.Typer) -> None:
    """Add `why`."""
    app.command(
        "why",
        epilog=(
            "\b\nExamples:\n  precede why bob#1:2\n  precede why bob#1:2 --group shop --output json"
        ),
    )(why)


def why(
    context: typer.Context,
    message_id: MessageIdText,
    group: MaybeGroup = None,
    source: From = FROM_TABLES,
    tables: Tables = None,
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    output: RowsOutput = ROWS_AS_TABLE,
) -> None:
    """Say what became of a message: delivered, quarantined, or held, and then the whole chain.

    Exit code 1 if nothing is known of it.
    """
    from console.answers.messages import checked_id
    from console.answers.places import load_places
    from console.answers.reasons import Fate, answers_about

    terminal = terminal_of_process(os.environ)
    places = load_places(context, tables=tables, bootstrap=bootstrap, topic_prefix=topic_prefix)
    answers = answers_about(places, checked_id(message_id), maybe_group=group, source=source)
    colours = {Fate.DELIVERED: Colour.GOOD, Fate.HELD: Colour.WARNING}
    for answer in answers:
        if output is not RowsFormat.TABLE:
            terminal.emit(json_line(answer.as_json()))
            continue
        colour = colours.get(answer.fate, Colour.BAD)
        where = f" in {printable(answer.group)}" if answer.group else ""
        terminal.emit(terminal.paint(f"{answer.fate.value}{where}", colour))
        for depth, sentence in enumerate(answer.sentences):
            terminal.emit(f"{'  ' * (depth + 1)}{printable(sentence)}")
    is_known = all(answer.fate is not Fate.UNSEEN for answer in answers)
    raise typer.Exit(ExitCode.OK if is_known else ExitCode.CHECK_FAILED)
