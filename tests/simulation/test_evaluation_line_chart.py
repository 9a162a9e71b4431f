"""Laws of a line chart: every curve is drawn, keyed, named at its end, and no names overlap."""

from __future__ import annotations

from xml.etree import ElementTree

import pytest

from simulation.evaluation.line_chart import LABEL_GAP, draw_line_chart, spread_apart
from simulation.evaluation.page import Line, LineChart, Scale, StatedPoint
from simulation.evaluation.svg import SERIES_COUNT


def chart(lines: int, *, scale: Scale = Scale.LINEAR) -> LineChart:
    return LineChart(
        "name",
        "Title",
        "subtitle",
        "across",
        "up",
        tuple(Line(f"line {n}", ((1.0, 2.0), (10.0, 2.0 + n / 100))) for n in range(lines)),
        (StatedPoint(5.0, 2.0, 0),),
        scale,
    )


@pytest.mark.parametrize("scale", list(Scale))
def test_every_curve_is_drawn_once_and_named_in_the_legend_and_at_its_end(scale: Scale) -> None:
    root = ElementTree.fromstring(draw_line_chart(chart(3, scale=scale)))
    tags = [element.tag.rpartition("}")[2] for element in root.iter()]
    assert tags.count("polyline") == 3
    texts = [element.text for element in root.iter()]
    assert all(texts.count(f"line {n}") == 2 for n in range(3))
    assert {"Title", "subtitle", "across", "up"} <= set(texts)


def test_more_curves_than_colours_are_refused_with_both_numbers() -> None:
    with pytest.raises(ValueError, match=f"has {SERIES_COUNT + 1} lines.*keeps {SERIES_COUNT}"):
        draw_line_chart(chart(SERIES_COUNT + 1))


def test_names_that_would_overlap_are_pushed_apart_and_stay_above_the_bottom() -> None:
    placed = spread_apart([10.0, 12.0, 13.0], gap=5, lowest=14)
    assert placed == [3.0, 8.0, 13.0]
    assert spread_apart([0.0, 100.0], gap=LABEL_GAP, lowest=200) == [0.0, 100.0]


def test_a_line_that_asks_for_a_look_has_it_everywhere() -> None:
    asked = chart(1)._replace(lines=(Line("only", ((1.0, 1.0), (2.0, 2.0)), 4),))
    drawn = draw_line_chart(asked)
    assert 'class="line s4 d4" points' in drawn
    assert 'class="f4 ring"' in drawn
    assert 'class="f0' not in drawn
