"""Runs evaluations and writes what they give: figures, pages, charts and the index.

`precede evaluate` calls `evaluate` for each name and then `write_index`; the tests call `render` to
see that pages are made from their figures alone. Files of one evaluation NAME:

    NAME.json   the figures          NAME.md   the page          NAME-*.svg   its charts
    README.md   the index over all evaluations that have figures in the directory
"""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from simulation.evaluation.bar_chart import draw_bar_chart
from simulation.evaluation.index import index_text
from simulation.evaluation.line_chart import draw_line_chart
from simulation.evaluation.markdown import chart_file, page_text
from simulation.evaluation.options import Options
from simulation.evaluation.page import LineChart, Page
from simulation.evaluation.registry import EVALUATIONS, digest_of, find_evaluation

INDEX_FILE = "README.md"


class Written(NamedTuple):
    """One evaluation that was run: its page, the digest of its figures, the files written."""

    page: Page
    digest: str
    files: tuple[Path, ...]


def evaluate(name: str, options: Options, *, directory: Path) -> Written:
    """Measures one evaluation and writes its figures, its page and its charts.

    Raises `OperatorFaultError` for a wrong name or missing data, `OSError` where it can't write.
    """
    evaluation = find_evaluation(name)
    recorded = evaluation.record(evaluation.measure(options))
    directory.mkdir(parents=True, exist_ok=True)
    files = render(name, recorded)
    for file_name, content in files.items():
        (directory / file_name).write_bytes(content)
    page = evaluation.present(evaluation.recall(recorded))
    return Written(page, digest_of(recorded), tuple(directory / file_name for file_name in files))


def write_index(directory: Path) -> Path:
    """Writes the index over whatever evaluations have figures in `directory`."""
    index = directory / INDEX_FILE
    index.write_bytes(render_index(directory))
    return index


def render(name: str, recorded: bytes) -> dict[str, bytes]:
    """Every file of an evaluation from its recorded figures: file name to content."""
    evaluation = find_evaluation(name)
    page = evaluation.present(evaluation.recall(recorded))
    files = {
        f"{name}.json": recorded,
        f"{name}.md": page_text(page, digest=digest_of(recorded)).encode(),
    }
    for chart in page.charts():
        draw = draw_line_chart(chart) if isinstance(chart, LineChart) else draw_bar_chart(chart)
        files[chart_file(chart)] = draw.encode()
    return files


def render_index(directory: Path) -> bytes:
    """The index over the evaluations whose figures are in `directory`."""
    pages = []
    for evaluation in EVALUATIONS.values():
        recorded_file = directory / f"{evaluation.name}.json"
        if recorded_file.exists():
            pages.append(evaluation.present(evaluation.recall(recorded_file.read_bytes())))
    return index_text(pages).encode()
