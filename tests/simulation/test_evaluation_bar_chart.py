"""Laws of a bar chart: one bar per series and group, as long as its value, labelled with it."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from simulation.evaluation.bar_chart import draw_bar_chart
from simulation.evaluation.page import BarChart, BarGroup
from simulation.evaluation.svg import SERIES_COUNT


def chart(series: int) -> BarChart:
    values = tuple(10.0 * (n + 1) for n in range(series))
    groups = (BarGroup("first", values), BarGroup("second", values))
    return BarChart(
        "name", "Title", "sub", "percent", tuple(f"s{n}" for n in range(series)), groups
    )


def test_a_bar_is_as_long_as_its_value() -> None:
    root = ElementTree.fromstring(draw_bar_chart(chart(2)))
    widths = [
        float(element.attrib["width"])
        for element in root.iter()
        if element.tag.endswith("rect") and element.attrib["class"].startswith("f")
    ]
    assert len(widths) == 4
    assert widths[1] == pytest.approx(2 * widths[0], abs=0.1)


def test_every_bar_shows_its_series_and_its_value() -> None:
    texts = [element.text for element in ElementTree.fromstring(draw_bar_chart(chart(2))).iter()]
    assert texts.count("s1") == 2
    assert texts.count("first") == 1


def test_more_series_than_colours_are_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match=f"has {SERIES_COUNT + 1} series.*keeps {SERIES_COUNT}"):
        draw_bar_chart(chart(SERIES_COUNT + 1))
