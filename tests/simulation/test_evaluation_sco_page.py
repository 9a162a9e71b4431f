"""Laws of the SCO page: four charts with four curves each, and every statement of the paper."""

from __future__ import annotations

from simulation.evaluation.options import Options, Size
from simulation.evaluation.page import LineChart
from simulation.evaluation.sco_checks import all_checks
from simulation.evaluation.sco_figures import measure
from simulation.evaluation.sco_page import present


def test_messages_and_delay_are_drawn_against_k_and_against_r() -> None:
    figures = measure(Options(size=Size.SMALL))
    page = present(figures)
    charts = page.charts()
    assert [chart.name for chart in charts] == [
        "sco-messages-k",
        "sco-delay-k",
        "sco-messages-r",
        "sco-delay-r",
    ]
    for chart in charts:
        assert isinstance(chart, LineChart)
        assert [line.label for line in chart.lines] == ["C0", "C1", "D0", "D1"]
    assert page.checks() == all_checks(figures)
