"""`precede thread`: the conversation around one message, as a tree."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from console.answers.rows import ROWS_AS_TABLE, RowsFormat, RowsOutput, show_rows
from console.shared_options import MaybeGroup, MessageIdText, Tables
from console.terminal import Colour, printable, terminal_of_process

COLUMNS = ("position", "id", "parent", "text")


def register(app: typer.Typer) -> None:
    """Add `thread`."""
    app.command(
        "thread",
        epilog=(
            "\b\nExamples:\n  precede thread bob#1:1\n"
            "  precede thread bob#1:1 --below --output jsonl"
        ),
    )(thread)


def thread(
    context: typer.Context,
    message_id: MessageIdText,
    group: MaybeGroup = None,
    is_below_only: Annotated[
        bool, typer.Option("--below", help="Only the message and what answers it.")
    ] = False,
    tables: Tables = None,
    output: RowsOutput = ROWS_AS_TABLE,
) -> None:
    """Show the thread that a message belongs to: what it answers and what answers it."""
    from console.answers.messages import checked_id, find_deliveries, only_one, thread_of
    from console.answers.places import load_places
    from console.demo.tree import Conversation

    terminal = terminal_of_process(os.environ)
    directory = load_places(context, tables=tables).tables
    name = checked_id(message_id)
    chosen = only_one(find_deliveries(directory, name, maybe_group=group), name)
    messages = thread_of(directory, chosen, is_below_only=is_below_only)
    if output is not RowsFormat.TABLE:
        rows = [{**one._asdict(), "parent": one.parent, "text": one.text} for one in messages]
        for row in rows:
            del row["payload"], row["stamps"]
        show_rows(terminal, rows, columns=COLUMNS, output=output, nothing="")
        return
    conversation = Conversation()
    for one in messages:
        conversation.deliver(
            one.id,
            parent=one.parent,
            sender=one.sender,
            text=one.text,
            position=one.position,
        )
    for line in conversation.lines(at_most=len(messages)):
        mark = "  <- this one" if line.position == chosen.position else ""
        drawing = terminal.paint(line.drawing, Colour.QUIET) if line.drawing else ""
        sender = terminal.paint(printable(line.sender), Colour.STRONG)
        terminal.emit(f"{line.position:>6}  {drawing}{sender}  {printable(line.text)}{mark}")
