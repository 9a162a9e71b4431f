"""`precede evaluate`: run the papers' evaluations again and write their pages."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from console.shared_options import TABLE, Output
from console.terminal import Colour, OutputFormat, Terminal, terminal_of_process

if TYPE_CHECKING:
    from simulation.evaluation.options import Options, Size
    from simulation.evaluation.writing import Written

PROJECT = Path(__file__).resolve().parents[2]
WHOLE_DATA = PROJECT.parent / "shared" / "data"
EXCERPT = PROJECT / "console" / "excerpt"
DEFAULT_OUTPUT = Path("docs/evaluation")


MaybeDataDirectory = Annotated[
    Path | None,
    typer.Option(
        "--data-directory",
        metavar="FOLDER",
        help="Real messages to read; else the published sets beside the project, else the "
        "shipped excerpt.",
        show_default=False,
    ),
]


def register(app: typer.Typer) -> None:
    """Add `evaluate`."""
    app.command(
        "evaluate",
        epilog=(
            "\b\nExamples:\n"
            "  precede evaluate\n"
            "  precede evaluate sco objects --seed 7 --output-directory /tmp/evaluation"
        ),
    )(evaluate)


def evaluate(
    names: Annotated[
        list[str] | None,
        typer.Argument(metavar="NAME", help="Which evaluations; all if none is named."),
    ] = None,
    output_directory: Annotated[
        Path,
        typer.Option(
            "--output-directory", metavar="FOLDER", help="Where pages, charts and figures go."
        ),
    ] = DEFAULT_OUTPUT,
    seed: Annotated[
        int,
        typer.Option("--seed", metavar="SEED", min=0, help="The same seed gives the same bytes."),
    ] = 1,
    maybe_data_directory: MaybeDataDirectory = None,
    is_small: Annotated[
        bool, typer.Option("--small", help="Few points and short runs, to try it out.")
    ] = False,
    output: Output = TABLE,
) -> None:
    """Measure what the papers measured, and state where our figures agree and where they do not.

    A figure that differs from a paper is a finding and not a failure: the exit code is 0.
    """
    from simulation.evaluation.options import Size
    from simulation.evaluation.registry import EVALUATIONS, find_evaluation
    from simulation.evaluation.writing import evaluate as evaluate_one
    from simulation.evaluation.writing import write_index

    terminal = terminal_of_process(os.environ)
    chosen = [find_evaluation(name).name for name in names or EVALUATIONS]
    options = choose_options(
        seed=seed,
        size=Size.SMALL if is_small else Size.FULL,
        maybe_data_directory=maybe_data_directory,
    )
    written = []
    for name in chosen:
        with terminal.step(f"evaluating {name}"):
            written.append(evaluate_one(name, options, directory=output_directory))
    index = write_index(output_directory)
    show(written, index, terminal, output)


def choose_options(*, seed: int, size: Size, maybe_data_directory: Path | None) -> Options:
    """The options of a run; without a directory, the published sets, and then the excerpt."""
    from simulation.evaluation.options import DataSource, Options

    if maybe_data_directory is not None:
        return Options(seed, size, maybe_data_directory, DataSource.NAMED)
    if WHOLE_DATA.is_dir():
        return Options(seed, size, WHOLE_DATA, DataSource.WHOLE)
    return Options(seed, size, EXCERPT, DataSource.EXCERPT)


def show(written: list[Written], index: Path, terminal: Terminal, output: OutputFormat) -> None:
    """One line for each statement of a paper: what it states, what we find, the verdict."""
    if output is OutputFormat.JSON:
        terminal.emit_json(as_result(written, index))
        return
    rows = []
    for one in written:
        for check in one.page.checks():
            verdict = check.verdict.value
            colour = Colour.GOOD if verdict == "agrees" else Colour.WARNING
            painted = terminal.paint(verdict, colour)
            rows.append((one.page.name, painted, check.claim, check.stated, check.measured))
    terminal.emit_table(("evaluation", "verdict", "statement", "stated", "ours"), rows)
    terminal.emit(f"written to {index}")


def as_result(written: list[Written], index: Path) -> dict[str, Any]:
    """The run as one JSON object."""
    return {
        "ok": True,
        "index": str(index),
        "evaluations": [
            {
                "name": one.page.name,
                "figures_sha256": one.digest,
                "files": [str(file) for file in one.files],
                "checks": [
                    check._asdict() | {"verdict": check.verdict.value}
                    for check in one.page.checks()
                ],
            }
            for one in written
        ],
    }
