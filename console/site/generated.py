"""Pages that are made from the code when the site is built, and stand in no file."""

from __future__ import annotations

import re
from enum import StrEnum
from typing import Any, get_args

from console.site.pages import Page

COMMANDS_SOURCE = "docs/reference/commands.md"
EVENTS_SOURCE = "docs/reference/events.md"


def generated_pages() -> list[Page]:
    """The help of every command, and every word for what happens to a message."""
    return [Page(COMMANDS_SOURCE, commands_page()), Page(EVENTS_SOURCE, events_page())]


def events_page() -> str:
    """What can happen to a message: events, marks, reasons and states, in the code's own words."""
    from ingest.wire.errors import WireReason
    from members.events import MemberEvent
    from ordering.events import Event, Mark, Reason
    from sinks.waits import GapStatus, WaitStatus

    lines = ["# Events, marks and reasons", "", "Made from the code when the site is built.", ""]
    lines += ["## What the engine tells", "", *_classes(get_args(Event))]
    lines += ["", "## What a member's program is told", "", *_classes(get_args(MemberEvent))]
    words: type[StrEnum]
    for heading, words in (
        ("Marks of a delivery", Mark),
        ("Reasons of the engine, in quarantine", Reason),
        ("Reasons of bytes that are no envelope, in quarantine", WireReason),
        ("States of a wait, in the table and the topic waits", WaitStatus),
        ("States of a gap, in the topic gaps", GapStatus),
    ):
        lines += ["", f"## {heading}", "", *(f"- `{word.value}`" for word in words)]
    return "\n".join(lines) + "\n"


def _classes(classes: tuple[type, ...]) -> list[str]:
    lines = ["| event | fields | what it says |", "| --- | --- | --- |"]
    for one in classes:
        fields: tuple[str, ...] = getattr(one, "__match_args__", ())
        said = " ".join((one.__doc__ or "").split())
        named = ", ".join(f"`{name}`" for name in fields)
        lines.append(f"| `{one.__name__}` | {named} | {said.replace('|', chr(92) + '|')} |")
    return lines


def commands_page() -> str:
    """Every command and its help, as `--help` prints it."""
    import typer.main

    from console.command import build_app, command_names

    app: Any = typer.main.get_command(build_app(command_names()))
    context = app.make_context("precede", ["docs"], resilient_parsing=True)
    lines = [
        "# Commands",
        "",
        "Made from the code when the site is built: what `precede COMMAND --help` prints. Results "
        "go to standard output, progress to standard error; [exit codes](exit-codes.md) are the "
        "same everywhere; `NO_COLOR` is obeyed.",
    ]
    for name, command in sorted(app.commands.items()):
        lines += ["", f"## precede {name}", ""]
        for path, one in _with_parts(name, command):
            inner = type(context)(one, info_name=path, parent=context)
            lines += ["```text", _clean(one.get_help(inner)), "```"]
    return "\n".join(lines) + "\n"


def _with_parts(path: str, command: Any) -> list[tuple[str, Any]]:
    found = [(path, command)]
    for name, part in sorted(getattr(command, "commands", {}).items()):
        found += _with_parts(f"{path} {name}", part)
    return found


def _clean(text: str) -> str:
    """Help without colours and without spaces at the ends of its lines."""
    plain = re.sub(r"\x1b\[[0-9;]*m", "", text)
    return "\n".join(line.rstrip() for line in plain.splitlines()).strip()
