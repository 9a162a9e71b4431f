"""Laws of writing: the same seed gives the same bytes; the documents are what this code wrote."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulation.evaluation.options import Options, Size
from simulation.evaluation.registry import EVALUATIONS, digest_of, find_evaluation
from simulation.evaluation.svg import MARGIN, WIDTH, text_width
from simulation.evaluation.writing import INDEX_FILE, evaluate, render, render_index, write_index

PROJECT = Path(__file__).resolve().parents[2]
DOCUMENTS = PROJECT / "docs" / "evaluation"
EXCERPT = PROJECT / "console" / "excerpt"
BOLD_TITLE_CHARACTER_WIDTH = 9.6


def small(seed: int) -> Options:
    return Options(seed=seed, size=Size.SMALL, data_directory=EXCERPT)


@pytest.mark.parametrize("name", list(EVALUATIONS))
def test_the_same_seed_gives_the_same_bytes(name: str, tmp_path: Path) -> None:
    once = evaluate(name, small(3), directory=tmp_path / "once")
    again = evaluate(name, small(3), directory=tmp_path / "again")
    assert once.digest == again.digest
    for file in once.files:
        assert file.read_bytes() == (tmp_path / "again" / file.name).read_bytes()


def test_another_seed_gives_other_figures(tmp_path: Path) -> None:
    digests = {evaluate("objects", small(seed), directory=tmp_path).digest for seed in (1, 2)}
    assert len(digests) == 2


def test_every_chart_of_a_page_is_written_and_linked(tmp_path: Path) -> None:
    written = evaluate("objects", small(1), directory=tmp_path)
    page = (tmp_path / "objects.md").read_text()
    charts = [file.name for file in written.files if file.suffix == ".svg"]
    assert charts
    assert all(f"({chart})" in page for chart in charts)
    assert written.digest in page


def test_the_index_covers_whatever_has_figures(tmp_path: Path) -> None:
    evaluate("objects", small(1), directory=tmp_path)
    text = write_index(tmp_path).read_text()
    assert "(objects.md)" in text
    assert "(sco.md)" not in text


@pytest.mark.parametrize("name", list(EVALUATIONS))
def test_the_documents_are_made_from_their_figures_by_this_code(name: str) -> None:
    recorded = (DOCUMENTS / f"{name}.json").read_bytes()
    for file, content in render(name, recorded).items():
        assert (DOCUMENTS / file).read_bytes() == content, f"{file}: run `precede evaluate {name}`"
    assert digest_of(recorded) in (DOCUMENTS / f"{name}.md").read_text()


def test_the_index_of_the_documents_is_made_from_their_figures_by_this_code() -> None:
    assert (DOCUMENTS / INDEX_FILE).read_bytes() == render_index(DOCUMENTS)


def test_no_file_of_the_documents_is_left_over_from_an_earlier_run() -> None:
    made = {INDEX_FILE}
    for name in EVALUATIONS:
        made |= set(render(name, (DOCUMENTS / f"{name}.json").read_bytes()))
    assert {file.name for file in DOCUMENTS.iterdir()} == made


@pytest.mark.parametrize("name", list(EVALUATIONS))
def test_no_text_of_a_chart_runs_out_of_it(name: str) -> None:
    evaluation = find_evaluation(name)
    page = evaluation.present(evaluation.recall((DOCUMENTS / f"{name}.json").read_bytes()))
    for chart in page.charts():
        room = WIDTH - 2 * MARGIN
        assert len(chart.title) * BOLD_TITLE_CHARACTER_WIDTH <= room, chart.title
        assert text_width(chart.subtitle) <= room, chart.subtitle
        assert text_width(chart.x_label) <= room, chart.x_label
