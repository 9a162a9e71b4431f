"""Laws of a drawing: well-formed, without surprises from text, the same bytes every time."""

from __future__ import annotations

from xml.etree import ElementTree

from simulation.evaluation.svg import SERIES_COUNT, Drawing, number, style_sheet


def draw() -> str:
    drawing = Drawing(title="A < B & C", description='says "yes"', height=100)
    drawing.text(1, 2, "<script>", role="ink", anchor="end")
    drawing.curve([(0, 0), (1.005, 2)], series=1)
    for series in range(SERIES_COUNT):
        drawing.marker(5, 5, series=series)
    drawing.stated(3, 3, series=0)
    drawing.bar(0, 0, width=3, height=4, series=2)
    return drawing.finish()


def test_a_drawing_is_well_formed_and_escapes_its_text() -> None:
    root = ElementTree.fromstring(draw())
    texts = [element.text for element in root.iter() if element.tag.endswith("text")]
    assert texts == ["<script>"]


def test_the_same_calls_give_the_same_bytes() -> None:
    assert draw() == draw()


def test_every_series_has_a_colour_in_light_and_in_dark() -> None:
    light, dark = style_sheet().split("@media (prefers-color-scheme:dark)")
    for series in range(SERIES_COUNT):
        assert f".s{series}{{" in light
        assert f".s{series}{{" in dark


def test_coordinates_have_no_noise() -> None:
    assert [number(v) for v in (0.0, -0.001, 1.10, 2.345, 100.0)] == [
        "0",
        "0",
        "1.1",
        "2.35",
        "100",
    ]
