"""`precede tail`: follow what is delivered, from the topic or the table."""

from __future__ import annotations

import os
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from console.answers.formats import FIELDS, parse_format
from console.answers.rows import RowsFormat, json_line
from console.errors import UsageError
from console.shared_options import Bootstrap, Source, Tables, TopicPrefix
from console.terminal import terminal_of_process

if TYPE_CHECKING:
    from sinks import Delivery

DEFAULT_FORMAT = r"%k %P %i %a  %s\n"
_SIGNS = "\n".join(f"  %{sign}  {meaning}" for sign, (meaning, _) in FIELDS.items())


StartPlace = Annotated[
    str,
    typer.Option(
        "--from",
        metavar="PLACE",
        help="beginning (what is gone is told), oldest (what is kept), end, or a resume token.",
    ),
]
Groups = Annotated[
    list[str] | None,
    typer.Option("--group", metavar="GROUP", help="Only this group; may be repeated."),
]
Count = Annotated[
    int | None,
    typer.Option("-n", "--count", metavar="COUNT", min=1, help="End after so many messages."),
]
IsExitWanted = Annotated[
    bool, typer.Option("-e", "--exit", help="End where the topic or table ends now.")
]
FormatText = Annotated[
    str | None,
    typer.Option("-f", "--format", metavar="FORMAT", help="What to print for each; see below."),
]
ResumeFile = Annotated[
    Path | None,
    typer.Option(
        "--resume", metavar="FILE", help="Begin where this file says, and keep the place in it."
    ),
]
Followed = Annotated[
    Source, typer.Option("--source", help="Follow the topic, or the table without a broker.")
]
WithHistory = Annotated[
    bool, typer.Option("--history", help="Read the past from the table, then the topic.")
]
LinesOutput = Annotated[
    RowsFormat, typer.Option("--output", help="Lines of a format, or a line of JSON each.")
]


def register(app: typer.Typer) -> None:
    """Add `tail`."""
    app.command(
        "tail",
        epilog=(
            "\b\nExamples:\n"
            "  precede tail --from oldest --exit -n 5\n"
            "  precede tail --from oldest --exit --group shop -f '%P %u: %s\\n'\n"
            "  precede tail --source tables --exit --output jsonl\n"
            "  precede tail --resume shop.token\n"
            f"\n\b\nSigns of a format (as in kcat, and some of our own):\n{_SIGNS}\n"
            "  \\n \\t \\xHH %%  as usual"
        ),
    )(tail)


def tail(
    context: typer.Context,
    start: StartPlace = "",
    groups: Groups = None,
    count: Count = None,
    is_exit_wanted: IsExitWanted = False,
    format_text: FormatText = None,
    resume_file: ResumeFile = None,
    source: Followed = Source.TOPICS,
    with_history: WithHistory = False,
    tables: Tables = None,
    bootstrap: Bootstrap = None,
    topic_prefix: TopicPrefix = None,
    output: LinesOutput = RowsFormat.TABLE,
) -> None:
    """Print every delivered message once and in order, and wait for more until Ctrl-C.

    Repeats are dropped; exit code 1 if messages are missing.
    """
    from console.answers.following import Wish, follow
    from console.answers.places import load_places

    if output is not RowsFormat.TABLE and format_text is not None:
        raise UsageError("--format is for lines; leave it out, or leave out --output")
    if output is RowsFormat.JSON:
        raise UsageError("tail has no end that one object could hold: use --output jsonl")
    terminal = terminal_of_process(os.environ)
    is_for_people = terminal.out.isatty()
    write = parse_format(format_text or DEFAULT_FORMAT, is_for_people=is_for_people)
    wish = Wish(
        start=start,
        groups=tuple(groups) if groups else None,
        maybe_most=count,
        is_exit_wanted=is_exit_wanted,
        maybe_resume_file=resume_file,
        source=source,
        with_history=with_history,
    )
    places = load_places(context, tables=tables, bootstrap=bootstrap, topic_prefix=topic_prefix)
    with closing(follow(places, wish)) as deliveries:
        for delivery in deliveries:
            text = json_of(delivery) + "\n" if output is RowsFormat.JSONL else write(delivery)
            terminal.out.write(text)
            terminal.out.flush()


def json_of(delivery: Delivery) -> str:
    """One delivery as a line of JSON; a payload that is no text is hexadecimal."""
    row = delivery._asdict()
    payload, stamps = row.pop("payload"), row.pop("stamps")
    row["parent"] = delivery.parent
    try:
        row["text"] = payload.decode()
    except UnicodeDecodeError:
        row["payload_hex"] = payload.hex()
    if stamps is not None:
        row["stamps_hex"] = stamps.hex()
    return json_line(row)
