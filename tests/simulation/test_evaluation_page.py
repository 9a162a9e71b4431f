"""Laws of a page: its charts and checks are found in reading order."""

from __future__ import annotations

from simulation.evaluation.page import (
    BarChart,
    BarGroup,
    Check,
    Line,
    LineChart,
    Page,
    Section,
    Table,
    Verdict,
)

CHECK = Check("claim", "1", "2", Verdict.DIFFERS, "why")
LINES = LineChart("l", "Title", "sub", "x", "y", (Line("a", ((0.0, 1.0), (1.0, 2.0))),))
BARS = BarChart("b", "Title", "sub", "x", ("a",), (BarGroup("g", (1.0,)),))


def test_charts_and_checks_come_out_in_reading_order_and_nothing_else_does() -> None:
    page = Page(
        "p",
        "P",
        "s",
        (
            Section("one", ("words", LINES, Table("t", ("a",), (("1",),)))),
            Section("two", ((CHECK, CHECK), BARS)),
        ),
    )
    assert page.charts() == (LINES, BARS)
    assert page.checks() == (CHECK, CHECK)
