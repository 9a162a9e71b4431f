"""Every block of code on every page, and what it is: something to type, to run, or to read.

A block's language says it: `sh` and `console` are commands (in `console` the lines without `$` are
what is printed), `python` runs, `sql` is asked, `toml` is a configuration, `json` is data, `text`
is what something prints or a drawing. A block without a language is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from tests.tidy.repository import ROOT

FENCE = re.compile(r"^( *)```([^\n`]*)\n(.*?)^ *```$", re.DOTALL | re.MULTILINE)
LANGUAGES = ("sh", "console", "python", "sql", "toml", "json", "text", "hex")
_CONTINUED = re.compile(r"\s*\\\n\s*")
_REMARK = re.compile(r"(?:^|\s+)#\s.*$")


class Block(NamedTuple):
    """One block: its page, the line it begins on, its language and its text."""

    page: str
    line: int
    language: str
    text: str

    @property
    def place(self) -> str:
        return f"{self.page}:{self.line}"

    @property
    def is_commands(self) -> bool:
        return self.language in ("sh", "console")

    def commands(self) -> list[str]:
        """The command lines, continued ones joined, remarks taken away."""
        if self.language == "console":
            return [command for command, _ in self.printed()]
        lines = (_REMARK.sub("", line) for line in _CONTINUED.sub(" ", self.text).splitlines())
        commands: list[str] = []
        for line in lines:
            if commands and commands[-1].count("'") % 2:  # inside quotes the command goes on
                commands[-1] += f"\n{line}"
            elif line.strip():
                commands.append(line.strip())
        return commands

    def printed(self) -> list[tuple[str, list[str]]]:
        """Of a `console` block: each command and the lines below it."""
        steps: list[tuple[str, list[str]]] = []
        for line in self.text.splitlines():
            if line.startswith("$ "):
                steps.append((line[2:], []))
            elif steps:
                steps[-1][1].append(line)
        return steps


def pages() -> list[Path]:
    """Every page that people read."""
    return [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]


def blocks() -> Iterator[Block]:
    """Every block of every page."""
    for page in pages():
        yield from blocks_of(page.relative_to(ROOT).as_posix(), page.read_text(encoding="utf-8"))


def blocks_of(page: str, text: str) -> Iterator[Block]:
    """The blocks of one page."""
    for found in FENCE.finditer(text):
        line = text.count("\n", 0, found.start()) + 1
        yield Block(page, line, found[2].strip(), found[3])
