"""Laws of the markdown: both figures and the verdict of every check, a link for every chart."""

from __future__ import annotations

from simulation.evaluation.markdown import GENERATED, page_text
from simulation.evaluation.page import Check, Line, LineChart, Page, Section, Table, Verdict

CHART = LineChart("p-one", "Title", "sub", "x", "y", (Line("a", ((0.0, 1.0),)),))
CHECKS = (
    Check("first claim", "50", "49", Verdict.AGREES, "because"),
    Check("second claim", "2", "1.5", Verdict.DIFFERS, "since"),
)


def text() -> str:
    table = Table("Figures", ("k", "value"), (("1", "0.5"), ("2", "0.7")))
    page = Page("p", "The page", "What it is.", (Section("All", (CHART, table, CHECKS)),))
    return page_text(page, digest="abc123")


def test_a_page_says_that_it_is_generated_and_from_which_figures() -> None:
    assert text().startswith(GENERATED)
    assert "`precede evaluate p`" in text()
    assert "sha256 `abc123`" in text()


def test_every_check_shows_both_figures_its_verdict_and_its_reason() -> None:
    assert "| 1 | first claim | 50 | 49 | agrees |" in text()
    assert "| 2 | second claim | 2 | 1.5 | **differs** |" in text()
    assert "1. because\n2. since" in text()


def test_charts_are_links_and_tables_have_a_row_per_row() -> None:
    assert "(p-one.svg)" in text()
    assert "| k | value |\n| :-- | --: |\n| 1 | 0.5 |\n| 2 | 0.7 |" in text()
