"""Laws of the objects' page: the stated shares are drawn and each is held against ours."""

from __future__ import annotations

from simulation.evaluation.objects_figures import measure
from simulation.evaluation.objects_page import STATED, present
from simulation.evaluation.options import Options, Size
from simulation.evaluation.page import LineChart


def test_every_stated_share_is_drawn_and_checked() -> None:
    page = present(measure(Options(size=Size.SMALL)))
    first = page.charts()[0]
    assert isinstance(first, LineChart)
    assert [point.y for point in first.stated] == list(STATED.values())
    claims = " ".join(check.claim for check in page.checks())
    assert "all ucast" in claims
    assert "half and half" in claims
    assert "all mcast/pcast" in claims
