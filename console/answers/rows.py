"""Rows as a person or a program wants them: a table, one JSON object, or a line of JSON each."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from enum import StrEnum
from typing import Annotated, Any, Final

import typer

from console.terminal import Terminal, printable

_MICROSECONDS_PER_SECOND = 1_000_000
MOST_CELL_CHARACTERS = 80
NOTHING = "-"


class RowsFormat(StrEnum):
    """How rows are printed."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"


RowsOutput = Annotated[
    RowsFormat,
    typer.Option("--output", help="A table for people, one JSON object, or a line of JSON a row."),
]
ROWS_AS_TABLE: Final = RowsFormat.TABLE

Row = Mapping[str, Any]


def show_rows(
    terminal: Terminal,
    rows: Iterable[Row],
    *,
    columns: Sequence[str],
    output: RowsFormat,
    nothing: str,
) -> int:
    """Print rows and give their number; `nothing` is said to people where there are none."""
    if output is RowsFormat.JSONL:
        count = 0
        for row in rows:
            terminal.emit(json_line(row))
            count += 1
        return count
    found = list(rows)
    if output is RowsFormat.JSON:
        terminal.emit(json_line({"ok": True, "count": len(found), "rows": found}))
    elif found:
        cells = [[cell_text(name, row.get(name)) for name in columns] for row in found]
        terminal.emit_table(columns, cells)
    else:
        terminal.say(nothing)
    return len(found)


def json_line(value: Mapping[str, Any]) -> str:
    """One line of JSON; instants stay numbers of microseconds, bytes become text."""
    return json.dumps(value, ensure_ascii=False, default=_as_json)


def cell_text(name: str, value: Any) -> str:
    """One cell of a table: harmless, short, instants as people read them."""
    if value is None or value in ("", (), []):
        return NOTHING
    if isinstance(value, int) and (name.endswith("_at") or name == "since"):
        return instant_text(value)
    if isinstance(value, bytes):
        value = value.decode(errors="replace")
    if isinstance(value, list | tuple):
        value = " ".join(str(item) for item in value)
    text = printable(str(value))
    return (
        text if len(text) <= MOST_CELL_CHARACTERS else text[: MOST_CELL_CHARACTERS - 1] + "\u2026"
    )


def instant_text(instant: int) -> str:
    """An instant in microseconds as UTC, to the second."""
    try:
        at = datetime.fromtimestamp(instant / _MICROSECONDS_PER_SECOND, tz=UTC)
    except (ValueError, OverflowError, OSError):
        return str(instant)
    return at.strftime("%Y-%m-%d %H:%M:%S")


def _as_json(value: Any) -> Any:
    if isinstance(value, bytes):
        return value.decode(errors="replace")
    return str(value)
