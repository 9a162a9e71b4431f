"""The files that the laws are about, as values, so that a law can be tried on a planted fault."""

from __future__ import annotations

import ast
import subprocess
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

ROOT = Path(__file__).parents[2]

ROOMS = (
    "ordering",
    "ingest",
    "ordering_udfs",
    "sinks",
    "streaming",
    "members",
    "simulation",
    "console",
    "deploy",
    "benchmarks",
)

NOT_OURS = ("LICENSE", "NOTICE")
"""Texts that others wrote and that we ship unchanged, by the beginning of their name."""

DATA_SUFFIXES = (".jsonl", ".csv", ".txt", ".sha256")
"""Files of data: what people said and what sums are, not what we wrote."""


class SourceFile(NamedTuple):
    """A file of the repository: its path from the root, with slashes, and its text."""

    path: str
    text: str

    @property
    def is_python(self) -> bool:
        return self.path.endswith(".py")

    @property
    def room(self) -> str:
        """The first folder: a room, `tests`, `docs`, or the file's own name at the root."""
        return self.path.split("/", 1)[0]

    @property
    def name(self) -> str:
        return self.path.rsplit("/", 1)[-1]


def must_be_none(found: list[str]) -> None:
    """Fail with every fault on a line of its own: the list is what people mend from."""
    if found:
        pytest.fail("\n".join([f"{len(found)} found:", *found]), pytrace=False)


def python_files(files: tuple[SourceFile, ...]) -> list[SourceFile]:
    """Every Python file."""
    return [file for file in files if file.is_python]


def room_files(files: tuple[SourceFile, ...]) -> list[SourceFile]:
    """Every Python file of a room: the product without its tests."""
    return [file for file in files if file.is_python and file.room in ROOMS]


def written_files(files: tuple[SourceFile, ...]) -> list[SourceFile]:
    """Every text that we wrote: no data and nobody else's words."""
    return [
        file
        for file in files
        if not file.name.startswith(NOT_OURS) and not file.path.endswith(DATA_SUFFIXES)
    ]


@cache
def parsed(file: SourceFile) -> ast.Module:
    """The syntax tree of a Python file; a file that is no Python is a failure of its own."""
    return ast.parse(file.text, filename=file.path)


@cache
def repository() -> tuple[SourceFile, ...]:
    """Every text file that git knows or would know; read once for the whole run."""
    files = []
    for path in sorted(_listed()):
        try:
            text = (ROOT / path).read_text(encoding="utf-8")
        except (UnicodeDecodeError, FileNotFoundError, IsADirectoryError):
            continue  # A picture, or a file that is deleted but not yet committed.
        files.append(SourceFile(path, text))
    return tuple(files)


@cache
def known_paths() -> frozenset[str]:
    """Every file of the repository and every folder that holds one, text or not."""
    files = {path for path in _listed() if (ROOT / path).exists()}
    folders = {str(parent) for path in files for parent in Path(path).parents}
    return frozenset(files | folders)


@cache
def _listed() -> frozenset[str]:
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    try:
        done = subprocess.run(command, cwd=ROOT, capture_output=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return _walked()
    return frozenset(path for path in done.stdout.decode().split("\0") if path)


def _walked() -> frozenset[str]:
    """Without git, as in a downloaded archive: everything that is not hidden or made by tools."""
    made = {"build", "__pycache__", "dist"}
    return frozenset(
        path.relative_to(ROOT).as_posix()
        for path in ROOT.rglob("*")
        if path.is_file()
        and not any(
            part.startswith(".") or part in made or part.endswith(".egg-info")
            for part in path.relative_to(ROOT).parts
        )
    )
