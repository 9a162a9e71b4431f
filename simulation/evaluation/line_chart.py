"""Draws curves over one axis: grid, legend on top, and each curve's name at its end.

`writing` calls it for every `LineChart` of a page. Steps:
  1. title, subtitle and legend take the top;
  2. axes are chosen from all points and stated figures; the vertical one starts at zero;
  3. curves with markers, then stated figures as hollow diamonds in the colour of their curve;
  4. names at the curves' right ends, pushed apart where curves end close together.
"""

from __future__ import annotations

from simulation.evaluation.axis import Axis, axis_for, tick_label
from simulation.evaluation.page import LineChart, Scale
from simulation.evaluation.svg import MARGIN, SERIES_COUNT, WIDTH, Drawing, text_width

HEIGHT = 440
TOP = 112
BOTTOM = 388
LEFT = 62
LABEL_GAP = 15
"""The least distance in pixels between two names at the right ends."""
MOST_MARKERS = 16
"""A curve with more points than this is drawn without markers, they would hide it."""


def draw_line_chart(chart: LineChart) -> str:
    """The chart as SVG text; refuses more series than the palette can keep apart."""
    if len(chart.lines) > SERIES_COUNT:
        raise ValueError(
            f"chart {chart.name} has {len(chart.lines)} lines, the palette keeps {SERIES_COUNT} "
            "apart: split the chart"
        )
    drawing = Drawing(title=chart.title, description=_describe(chart), height=HEIGHT)
    drawing.text(MARGIN, 30, chart.title, role="ink title")
    drawing.text(MARGIN, 50, chart.subtitle, role="quiet")
    looks = _looks(chart)
    _draw_legend(drawing, chart, looks)
    xs = [x for line in chart.lines for x, _ in line.points]
    ys = [y for line in chart.lines for _, y in line.points] + [p.y for p in chart.stated]
    right = WIDTH - MARGIN - max(text_width(line.label) for line in chart.lines) - 14
    across = axis_for(xs, start=LEFT, end=right, scale=chart.x_scale)
    up = axis_for([0.0, *ys], start=BOTTOM, end=TOP)
    _draw_axes(drawing, chart, across, up)
    for series, line in zip(looks, chart.lines, strict=True):
        drawn = [
            (across.place(x), up.place(y))
            for x, y in line.points
            if x > 0 or chart.x_scale is Scale.LINEAR
        ]
        drawing.curve(drawn, series=series)
        if len(drawn) <= MOST_MARKERS:
            for x, y in drawn:
                drawing.marker(x, y, series=series)
    for point in chart.stated:
        drawing.stated(across.place(point.x), up.place(point.y), series=looks[point.series])
    _draw_end_labels(drawing, chart, looks, across, up)
    return drawing.finish()


def _looks(chart: LineChart) -> list[int]:
    """The look of each line: what it asks for, else its place."""
    return [
        place if line.maybe_series is None else line.maybe_series
        for place, line in enumerate(chart.lines)
    ]


def _draw_legend(drawing: Drawing, chart: LineChart, looks: list[int]) -> None:
    """Keys and names in one row, wrapped to a second row where they don't fit."""
    x, y = float(MARGIN), 72
    for series, line in zip(looks, chart.lines, strict=True):
        width = 34 + text_width(line.label) + 16
        if x + width > WIDTH - MARGIN and x > MARGIN:
            x, y = float(MARGIN), y + 18
        drawing.straight((x, y - 4), (x + 26, y - 4), role=f"line s{series} d{series}")
        drawing.marker(x + 13, y - 4, series=series)
        drawing.text(x + 34, y, line.label, role="ink")
        x += width


def _draw_axes(drawing: Drawing, chart: LineChart, across: Axis, up: Axis) -> None:
    for tick in up.ticks:
        y = up.place(tick)
        drawing.straight((LEFT, y), (across.end, y), role="grid" if tick else "axis")
        drawing.text(LEFT - 8, y + 4, tick_label(tick), role="quiet", anchor="end")
    for tick in across.ticks:
        x = across.place(tick)
        drawing.straight((x, BOTTOM), (x, BOTTOM + 5), role="axis")
        drawing.text(x, BOTTOM + 19, tick_label(tick), role="quiet", anchor="middle")
    drawing.text(LEFT, TOP - 12, chart.y_label, role="quiet")
    drawing.text((LEFT + across.end) / 2, BOTTOM + 40, chart.x_label, role="quiet", anchor="middle")


def _draw_end_labels(
    drawing: Drawing, chart: LineChart, looks: list[int], across: Axis, up: Axis
) -> None:
    """Names at the right ends, from the top down, each at least LABEL_GAP below the one before."""
    ends = sorted(
        (up.place(line.points[-1][1]), series, line)
        for series, line in zip(looks, chart.lines, strict=True)
    )
    wanted = [y for y, _, _ in ends]
    placed = spread_apart(wanted, gap=LABEL_GAP, lowest=BOTTOM + 2)
    for (y_end, series, line), y in zip(ends, placed, strict=True):
        x = across.place(line.points[-1][0])
        if abs(y - y_end) > 4 or x < across.end:
            drawing.straight((x + 5, y_end), (across.end + 12, y), role="grid")
        drawing.text(across.end + 14, y + 4, line.label, role=f"f{series}")


def spread_apart(wanted: list[float], *, gap: float, lowest: float) -> list[float]:
    """Moves rising positions so that neighbours are `gap` apart and none lies below `lowest`.

    1. walk up from the bottom, pushing each one above its lower neighbour where needed.

        wanted 10, 12, 13 (gap 5, lowest 14)  ->  3, 8, 13
    """
    placed: list[float] = []
    limit = lowest
    for position in reversed(wanted):
        limit = min(position, limit)
        placed.append(limit)
        limit -= gap
    return placed[::-1]


def _describe(chart: LineChart) -> str:
    return f"{chart.y_label} against {chart.x_label}: " + ", ".join(
        f"{line.label} ends at {line.points[-1][1]:g}" for line in chart.lines
    )
