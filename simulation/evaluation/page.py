"""What an evaluation presents: a page of prose, tables, charts and checks, as plain values.

The `*_page` modules build these from figures; `markdown` and `chart` turn them into bytes.
Nothing here measures and nothing here writes.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple


class Scale(Enum):
    """How an axis spreads its values."""

    LINEAR = "linear"
    LOGARITHMIC = "logarithmic"


class Line(NamedTuple):
    """One named curve; the points are (x, y), in rising x.

    `maybe_series` gives it the look of that series, so that one thing looks the same in all charts
    of a page; else its place among the lines decides.
    """

    label: str
    points: tuple[tuple[float, float], ...]
    maybe_series: int | None = None


class StatedPoint(NamedTuple):
    """A figure that a paper states of curve number `series`, drawn on top of our curves."""

    x: float
    y: float
    series: int


class LineChart(NamedTuple):
    """Curves over one horizontal axis. `name` becomes the file name."""

    name: str
    title: str
    subtitle: str
    x_label: str
    y_label: str
    lines: tuple[Line, ...]
    stated: tuple[StatedPoint, ...] = ()
    x_scale: Scale = Scale.LINEAR


class BarGroup(NamedTuple):
    """The bars of one thing compared: one value per series, in the order of the series."""

    label: str
    values: tuple[float, ...]


class BarChart(NamedTuple):
    """Horizontal bars, one cluster per group, one colour per series."""

    name: str
    title: str
    subtitle: str
    x_label: str
    series: tuple[str, ...]
    groups: tuple[BarGroup, ...]


class Table(NamedTuple):
    """Columns and rows of text; the first column is a label, the others are figures."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]


class Verdict(Enum):
    """Whether our figure is the paper's figure, within the tolerance of the check."""

    AGREES = "agrees"
    DIFFERS = "differs"


class Check(NamedTuple):
    """One statement of a paper held against our figures.

    `verdict` is computed by the functions of `agreement`, never written by hand; `reason` says why
    a figure differs, or what the agreement rests on.
    """

    claim: str
    stated: str
    measured: str
    verdict: Verdict
    reason: str


class Section(NamedTuple):
    """A heading with what stands below it, in order."""

    heading: str
    blocks: tuple[str | Table | LineChart | BarChart | tuple[Check, ...], ...]


class Page(NamedTuple):
    """All that one evaluation has to say."""

    name: str
    title: str
    summary: str
    sections: tuple[Section, ...]

    def charts(self) -> tuple[LineChart | BarChart, ...]:
        """Every chart of the page in reading order: each becomes one file."""
        return tuple(
            block
            for section in self.sections
            for block in section.blocks
            if isinstance(block, LineChart | BarChart)
        )

    def checks(self) -> tuple[Check, ...]:
        """Every check of the page in reading order."""
        return tuple(
            entry
            for section in self.sections
            for block in section.blocks
            if isinstance(block, tuple) and not isinstance(block, Table | LineChart | BarChart)
            for entry in block
        )
