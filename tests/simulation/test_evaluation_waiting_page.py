"""Laws of the waiting page: it says which messages it read, and lines on each other are one."""

from __future__ import annotations

from pathlib import Path

from simulation.evaluation.markdown import page_text
from simulation.evaluation.options import DataSource, Options, Size
from simulation.evaluation.page import Line
from simulation.evaluation.waiting_figures import measure
from simulation.evaluation.waiting_page import one_line_each, present

EXCERPT = Path(__file__).resolve().parents[2] / "console" / "excerpt"


def test_the_page_says_which_messages_were_read() -> None:
    options = Options(size=Size.SMALL, data_directory=EXCERPT, data_source=DataSource.EXCERPT)
    page = present(measure(options))
    assert DataSource.EXCERPT.value in page_text(page, digest="d")
    names = [chart.name for chart in page.charts()]
    assert names == ["waiting-share", "waiting-longer", "waiting-delay"]


def test_lines_that_lie_on_each_other_become_one_with_both_names() -> None:
    points = ((0.0, 1.0), (1.0, 2.0))
    other = ((0.0, 1.0), (1.0, 3.0))
    lines = one_line_each([Line("a", points), Line("b", other), Line("c", points)])
    assert lines == (Line("a; c", points), Line("b", other))
