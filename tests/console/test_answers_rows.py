"""Rows for people and for programs."""

from __future__ import annotations

import io
import json

import pytest

from console.answers.rows import RowsFormat, cell_text, instant_text, json_line, show_rows
from console.terminal import Terminal

ROWS: list[dict[str, object]] = [
    {"id": "a#1:1", "since": 1_767_603_600_000_000},
    {"id": "b\x1b[2J", "since": None},
]


def shown(output: RowsFormat, rows: list[dict[str, object]]) -> tuple[str, str]:
    out, progress = io.StringIO(), io.StringIO()
    terminal = Terminal(out, progress, False, False, False)
    show_rows(terminal, rows, columns=("id", "since"), output=output, nothing="nothing")
    return out.getvalue(), progress.getvalue()


def test_a_table_shows_instants_as_people_read_them_and_nothing_that_drives_a_terminal() -> None:
    out, _ = shown(RowsFormat.TABLE, ROWS)
    assert out.splitlines() == [
        "id        since",
        "a#1:1     2026-01-05 09:00:00",
        "b\\x1b[2J  -",
    ]


def test_json_is_one_object_and_jsonl_one_line_a_row() -> None:
    assert json.loads(shown(RowsFormat.JSON, ROWS)[0])["count"] == 2
    lines = shown(RowsFormat.JSONL, ROWS)[0].splitlines()
    assert [json.loads(line)["since"] for line in lines] == [1_767_603_600_000_000, None]


def test_no_rows_are_said_to_people_and_are_empty_for_programs() -> None:
    assert shown(RowsFormat.TABLE, []) == ("", "nothing\n")
    assert shown(RowsFormat.JSONL, []) == ("", "")


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (b"\xff", "\N{REPLACEMENT CHARACTER}"),
        (("a", "b"), "a b"),
        ((), "-"),
        ("x" * 99, "x" * 79 + "…"),
    ],
)
def test_a_cell_is_short_and_harmless(value: object, text: str) -> None:
    assert cell_text("name", value) == text


def test_an_instant_out_of_range_is_its_number() -> None:
    assert instant_text(2**62) == str(2**62)
    assert json_line({"payload": b"\xff"}) == '{"payload": "\N{REPLACEMENT CHARACTER}"}'
