"""Laws of the significant page: both sweeps are drawn with pairs and with both kinds of waits."""

from __future__ import annotations

from simulation.evaluation.options import Options, Size
from simulation.evaluation.page import LineChart
from simulation.evaluation.significant_figures import measure
from simulation.evaluation.significant_page import present


def test_both_sweeps_are_drawn_and_every_claim_is_checked() -> None:
    page = present(measure(Options(size=Size.SMALL)))
    charts = page.charts()
    assert [chart.name for chart in charts] == ["significant-state", "significant-conflict"]
    for chart in charts:
        assert isinstance(chart, LineChart)
        labels = [line.label for line in chart.lines]
        assert labels == ["pairs needed", "wait, causal", "wait, significant"]
    assert len(page.checks()) == 4
