"""Law: the pages about disciplines say what the code does."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from ordering.disciplines.registry import names
from ordering.disciplines.significant_tables import TABLES, draw
from ordering.policy import Acceptance
from tests.tidy.discipline_docs import (
    BLOCK,
    FOLDER,
    Program,
    levels,
    page_of,
    pages,
    programs,
    refreshed,
    tables,
)
from tests.tidy.repository import ROOT


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


@pytest.mark.parametrize("page", pages(), ids=lambda page: page.name)
def test_every_printed_block_is_what_the_code_prints(page: Path) -> None:
    assert text_of(page) == refreshed(text_of(page)), "run python -m tests.tidy.discipline_docs"


def test_the_tables_and_the_levels_stand_on_their_pages() -> None:
    assert tables() in text_of(page_of("significant"))
    assert all(draw(table) in text_of(page_of("significant")) for table in TABLES.values())
    assert levels() in text_of(page_of("causal"))
    assert all(f"`{level.value}`" in levels() for level in Acceptance)


@pytest.mark.parametrize("program", list(programs()), ids=lambda program: program.page)
def test_a_program_prints_what_stands_below_it(program: Program) -> None:
    done = subprocess.run(
        [sys.executable, "-c", program.source],
        capture_output=True,
        text=True,
        check=False,
        cwd=ROOT,
    )
    assert done.stderr == ""
    assert done.stdout == program.prints


def test_every_discipline_has_a_page_with_a_program_and_a_row_in_the_table_to_choose_by() -> None:
    with_programs = {program.page for program in programs()}
    assert with_programs == {page_of(name).name for name in names()}
    for name in names():
        assert f"| [`{name}`]({page_of(name).name}) |" in text_of(FOLDER / "README.md")


@pytest.mark.parametrize("name", names())
def test_every_page_says_what_it_promises_costs_and_carries_and_how_it_gives_up(name: str) -> None:
    page = text_of(page_of(name))
    assert page.startswith(f"# `{name}`")
    for words in ("**Promise.**", "**Choose it**", "**It costs**", "**A message carries**"):
        assert words in page
    assert "**Give-up" in page or "## When something never comes" in page


def test_there_is_no_page_about_something_else() -> None:
    assert {page.name for page in FOLDER.glob("*.md")} == {page.name for page in pages()}


def test_a_block_of_an_unknown_name_is_an_error() -> None:
    with pytest.raises(KeyError):
        refreshed("<!-- nothing: printed from nowhere.py -->\n<!-- end -->")


def test_a_stale_block_is_printed_anew_and_the_rest_is_let_be() -> None:
    stale = "before\n<!-- levels: printed from x.py -->\nold\n<!-- end -->\nafter\n"
    fresh = refreshed(stale)
    assert levels() in fresh
    assert fresh.startswith("before\n")
    assert fresh.endswith("<!-- end -->\nafter\n")
    assert BLOCK.sub("", fresh) == BLOCK.sub("", stale)
