"""Writes small drawings as SVG text: the same calls give the same bytes.

The chart modules call it. Colours are named by role and set once, in a style sheet with a light
and a dark half, so that a drawing follows the reader's setting and still has its own background
where the setting is not known. Series differ by colour, by dash and by marker: colour is never
alone.
"""

from __future__ import annotations

from html import escape

WIDTH = 760
MARGIN = 20
CHARACTER_WIDTH = 6.7
"""The mean width of a character at 12 pixels, generous enough for the usual system fonts."""

SERIES_COUNT = 6
"""How many series a chart may have: the palette has this many colours that stay apart."""

_LIGHT = ("#2a6fcf", "#c8511b", "#148a60", "#8a3fb0", "#a87400", "#4d5763")
_DARK = ("#6aa8f5", "#f08a55", "#41c492", "#c48be8", "#e0b341", "#a9b4c0")
_DASHES = ("none", "7 3", "2 3", "9 3 2 3", "4 2", "12 4")


def style_sheet() -> str:
    """The one style of all drawings: roles first, series after them, the dark half last."""
    rules = [
        ".surface{fill:#ffffff}.ink{fill:#1c2128}.quiet{fill:#57606a}",
        ".grid{stroke:#d8dee4;stroke-width:1}.axis{stroke:#8c959f;stroke-width:1}",
        ".ring{stroke:#ffffff}.stated{fill:#ffffff;stroke-width:2}",
        "text{font-family:system-ui,-apple-system,'Segoe UI',Roboto,'DejaVu Sans',sans-serif;"
        "font-size:12px}.title{font-size:16px;font-weight:600}"
        ".group{font-size:13px;font-weight:600}",
        ".line{fill:none;stroke-width:2.2;stroke-linejoin:round;stroke-linecap:round}",
        *(
            f".s{n}{{stroke:{colour}}}.f{n}{{fill:{colour}}}.d{n}{{stroke-dasharray:{dash}}}"
            for n, (colour, dash) in enumerate(zip(_LIGHT, _DASHES, strict=True))
        ),
        "@media (prefers-color-scheme:dark){",
        ".surface{fill:#0d1117}.ink{fill:#e6edf3}.quiet{fill:#9aa4af}",
        ".grid{stroke:#2b323b}.axis{stroke:#6e7681}.ring{stroke:#0d1117}",
        ".stated{fill:#0d1117}",
        *(f".s{n}{{stroke:{colour}}}.f{n}{{fill:{colour}}}" for n, colour in enumerate(_DARK)),
        "}",
    ]
    return "<style>" + "\n".join(rules) + "</style>"


def number(value: float) -> str:
    """A coordinate with at most two digits after the point and no trailing noise."""
    text = f"{value:.2f}".rstrip("0").rstrip(".")
    return "0" if text in ("-0", "") else text


def text_width(text: str) -> float:
    """An estimate of how wide `text` is at 12 pixels, for laying out legends and labels."""
    return len(text) * CHARACTER_WIDTH


class Drawing:
    """Collects elements; `finish` wraps them with title, description, style and background."""

    def __init__(self, *, title: str, description: str, height: float) -> None:
        self._title = title
        self._description = description
        self._height = height
        self._elements: list[str] = []

    def text(self, x: float, y: float, words: str, *, role: str, anchor: str = "start") -> None:
        """One line of text; `role` is one of the classes of the style sheet."""
        aligned = "" if anchor == "start" else f' text-anchor="{anchor}"'
        self._elements.append(
            f'<text class="{role}" x="{number(x)}" y="{number(y)}"{aligned}>{escape(words)}</text>'
        )

    def straight(self, start: tuple[float, float], end: tuple[float, float], *, role: str) -> None:
        """A straight line, for grids, axes and legend keys."""
        self._elements.append(
            f'<line class="{role}" x1="{number(start[0])}" y1="{number(start[1])}" '
            f'x2="{number(end[0])}" y2="{number(end[1])}"/>'
        )

    def curve(self, points: list[tuple[float, float]], *, series: int) -> None:
        """A polyline through `points` in the look of a series."""
        path = " ".join(f"{number(x)},{number(y)}" for x, y in points)
        self._elements.append(f'<polyline class="line s{series} d{series}" points="{path}"/>')

    def bar(self, x: float, y: float, *, width: float, height: float, series: int) -> None:
        """A filled bar in the colour of a series."""
        self._elements.append(
            f'<rect class="f{series}" x="{number(x)}" y="{number(y)}" '
            f'width="{number(width)}" height="{number(height)}" rx="2"/>'
        )

    def marker(self, x: float, y: float, *, series: int) -> None:
        """The point mark of a series: a shape of its own with a ring of the background."""
        shape = _MARKERS[series % len(_MARKERS)](x, y)
        self._elements.append(f'<path class="f{series} ring" d="{shape}"/>')

    def stated(self, x: float, y: float, *, series: int) -> None:
        """The hollow diamond that marks a figure stated by a paper, in the colour of its curve."""
        self._elements.append(f'<path class="stated s{series}" d="{_diamond(x, y)}"/>')

    def finish(self) -> str:
        """The whole drawing as text, ending in a newline."""
        height = number(self._height)
        return "\n".join(
            [
                f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" '
                f'width="{WIDTH}" height="{height}" role="img">',
                f"<title>{escape(self._title)}</title>",
                f"<desc>{escape(self._description)}</desc>",
                style_sheet(),
                f'<rect class="surface" width="{WIDTH}" height="{height}"/>',
                *self._elements,
                "</svg>",
                "",
            ]
        )


def _circle(x: float, y: float) -> str:
    return f"M{number(x - 4)} {number(y)}a4 4 0 1 0 8 0a4 4 0 1 0 -8 0z"


def _square(x: float, y: float) -> str:
    return f"M{number(x - 3.6)} {number(y - 3.6)}h7.2v7.2h-7.2z"


def _triangle(x: float, y: float) -> str:
    return f"M{number(x)} {number(y - 4.8)}l4.6 8.2h-9.2z"


def _diamond(x: float, y: float) -> str:
    return f"M{number(x)} {number(y - 5.2)}l5.2 5.2l-5.2 5.2l-5.2 -5.2z"


_MARKERS = (_circle, _square, _triangle, _diamond)
