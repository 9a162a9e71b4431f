"""`precede docs`: build the documentation as a site of plain files."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from console.errors import ExitCode, OperatorError
from console.terminal import terminal_of_process

ROOT = Path(__file__).parents[2]


def register(app: typer.Typer) -> None:
    """Add `docs`."""
    app.command(
        "docs",
        epilog="\b\nExamples:\n  precede docs\n  precede docs --into build/site",
    )(docs)


def docs(
    into: Annotated[
        Path,
        typer.Option(metavar="FOLDER", help="Folder of the site; what is in it is removed first."),
    ] = Path("build/site"),
) -> None:
    """Build the documentation from the source and check every link; needs the source tree.

    Exit code 1 if a link leads nowhere.
    """
    from console.site.building import build_site
    from console.site.checking import problems

    if not (ROOT / "docs").is_dir():
        raise OperatorError(
            f"{ROOT} has no docs: the site is built in a source tree, not from an installation",
            ExitCode.USAGE,
        )
    if into.exists() and not (into / "search-index.js").is_file() and any(into.iterdir()):
        raise OperatorError(
            f"{into} has something else in it: name a new folder, or remove it", ExitCode.USAGE
        )
    terminal = terminal_of_process(os.environ)
    files = build_site(ROOT, into)
    found = problems(into)
    for problem in found:
        terminal.complain(problem)
    terminal.emit(f"{len(files)} files; begin with {into / 'index.html'}")
    raise typer.Exit(ExitCode.CHECK_FAILED if found else ExitCode.OK)
