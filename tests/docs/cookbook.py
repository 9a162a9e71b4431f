"""The questions of docs/cookbook.md, and the page with every answer printed anew.

python -m tests.docs.cookbook writes the answers into the page.
"""

from __future__ import annotations

import io
import re
import tempfile
from pathlib import Path
from typing import NamedTuple

from console.answers.rows import RowsFormat, show_rows
from console.answers.sql import Result, query_duckdb
from console.terminal import Terminal
from tests.console.shop import make_shop
from tests.tidy.repository import ROOT

PAGE = ROOT / "docs" / "cookbook.md"
_QUESTION = re.compile(
    r"^## (.*?)\n(.*?)```sql\n(.*?)```\n```text\n(.*?)```", re.DOTALL | re.MULTILINE
)


class Question(NamedTuple):
    """One question: its heading, its SQL and the answer on the page."""

    heading: str
    sql: str
    answer: str


def questions(page: str) -> list[Question]:
    """Every question of the page."""
    return [Question(heading, sql, answer) for heading, _, sql, answer in _QUESTION.findall(page)]


def printed(result: Result) -> str:
    """A result as `precede sql` prints it."""
    out = io.StringIO()
    terminal = Terminal(out, io.StringIO(), False, False, False)
    show_rows(terminal, result.rows, columns=result.columns, output=RowsFormat.TABLE, nothing="")
    return out.getvalue()


def refreshed(page: str, tables: str) -> str:
    """The page with every answer as the tables give it now."""

    def answered(found: re.Match[str]) -> str:
        heading, between, sql, _ = found.groups()
        answer = printed(query_duckdb(tables, sql))
        return f"## {heading}\n{between}```sql\n{sql}```\n```text\n{answer}```"

    return _QUESTION.sub(answered, page)


def main() -> None:
    """Write the answers anew."""
    with tempfile.TemporaryDirectory() as folder:
        tables = make_shop(Path(folder) / "tables")
        PAGE.write_text(refreshed(PAGE.read_text(encoding="utf-8"), tables), encoding="utf-8")


if __name__ == "__main__":
    main()
