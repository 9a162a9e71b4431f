"""Laws of the page that describes topics, tables and views."""

from __future__ import annotations

from pathlib import Path

from sinks.reference import PAGE_PATH, page
from sinks.tables import TABLES
from sinks.views import VIEWS

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_code_says() -> None:
    """If this fails: python -m sinks.reference > docs/reference/tables.md"""
    assert (ROOT / PAGE_PATH).read_text(encoding="utf-8") == page()


def test_every_table_and_view_is_on_the_page() -> None:
    text = page()
    for table in TABLES:
        assert f"## Table `{table.name}`" in text
        assert all(f"| `{column.name}` |" in text for column in table.columns)
    for view in VIEWS:
        assert view.sql in text
