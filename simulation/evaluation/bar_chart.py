"""Draws horizontal bars in clusters: one cluster per thing compared, one colour per series.

`writing` calls it for every `BarChart` of a page. Every bar carries its series' name on the left
and its value at its end, so that no reader has to go back and forth to a legend.
"""

from __future__ import annotations

from simulation.evaluation.axis import axis_for, tick_label
from simulation.evaluation.page import BarChart
from simulation.evaluation.svg import MARGIN, SERIES_COUNT, WIDTH, Drawing, text_width

TOP = 92
BAR_HEIGHT = 15
BAR_PITCH = 19
HEADING = 10
"""From the baseline of a group's name to its first bar."""
GROUP_GAP = 40
FOOT = 42


def draw_bar_chart(chart: BarChart) -> str:
    """The chart as SVG text; refuses more series than the palette can keep apart."""
    if len(chart.series) > SERIES_COUNT:
        raise ValueError(
            f"chart {chart.name} has {len(chart.series)} series, the palette keeps {SERIES_COUNT} "
            "apart: split the chart"
        )
    group_height = BAR_PITCH * len(chart.series) + GROUP_GAP
    bottom = TOP + group_height * len(chart.groups)
    drawing = Drawing(title=chart.title, description=_describe(chart), height=bottom + FOOT)
    drawing.text(MARGIN, 30, chart.title, role="ink title")
    drawing.text(MARGIN, 50, chart.subtitle, role="quiet")
    left = MARGIN + max(text_width(label) for label in chart.series) + 12
    values = [value for group in chart.groups for value in group.values]
    across = axis_for([0.0, *values], start=left, end=WIDTH - MARGIN - 54)
    for tick in across.ticks:
        x = across.place(tick)
        for number in range(len(chart.groups)):
            first_bar = TOP + number * group_height + HEADING
            last_bar = first_bar + BAR_PITCH * len(chart.series)
            role = "grid" if tick else "axis"
            drawing.straight((x, first_bar - 2), (x, last_bar), role=role)
        drawing.text(x, bottom + 4, tick_label(tick), role="quiet", anchor="middle")
    drawing.text((left + across.end) / 2, bottom + 26, chart.x_label, role="quiet", anchor="middle")
    for number, group in enumerate(chart.groups):
        y = TOP + number * group_height
        drawing.text(MARGIN, y, group.label, role="ink group")
        for series, value in enumerate(group.values):
            top = y + HEADING + series * BAR_PITCH
            drawing.text(left - 8, top + 12, chart.series[series], role="ink", anchor="end")
            width = max(across.place(value) - left, 1.0)
            drawing.bar(left, top, width=width, height=BAR_HEIGHT, series=series)
            drawing.text(left + width + 6, top + 12, _value_label(value), role="ink")
    return drawing.finish()


def _value_label(value: float) -> str:
    return f"{value:,.1f}" if value else "0"


def _describe(chart: BarChart) -> str:
    return f"{chart.x_label} by {', '.join(chart.series)}: " + "; ".join(
        f"{group.label} {', '.join(_value_label(value) for value in group.values)}"
        for group in chart.groups
    )
