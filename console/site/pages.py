"""Which pages the site has, where each comes from, and in which order people find them."""

from __future__ import annotations

import posixpath
from pathlib import Path
from typing import NamedTuple

SECTIONS: tuple[tuple[str, tuple[str, ...]], ...] = (
    ("Start", ("README.md", "docs/tutorial.md", "docs/GLOSSARY.md")),
    ("Use", ("docs/page.md", "docs/job.md", "docs/consumer.md", "docs/sql.md", "docs/cookbook.md",
             "docs/members/", "docs/edge/")),
    ("Choose an order", ("docs/disciplines/",)),
    ("Operate", ("docs/operations/",)),
    ("Reference", ("docs/reference/",)),
    ("Design", ("docs/ARCHITECTURE.md", "docs/simulation.md", "docs/evaluation/",
                "docs/BENCHMARKS.md")),
    ("Project", ("CONTRIBUTING.md", "CHANGELOG.md")),
)  # fmt: skip
"""A name that ends in a slash is a folder: all its pages. What no section names comes last."""

FURTHER = "Further"
FIRST_PAGES = ("README.md", "CONTRIBUTING.md", "CHANGELOG.md")
ASSET_SUFFIXES = (".svg", ".png", ".jsonl", ".json")


class Page(NamedTuple):
    """One page: its source's path in the repository, and its text."""

    source: str
    text: str

    @property
    def target(self) -> str:
        """Its path in the site: the README of a folder is the folder's index."""
        path = self.source.removeprefix("docs/").removesuffix(".md")
        folder, name = posixpath.split(path)
        name = "index" if name == "README" else name.lower()
        return f"{posixpath.join(folder, name)}.html"

    @property
    def title(self) -> str:
        """Its first heading."""
        for line in self.text.splitlines():
            if line.startswith("# "):
                return line[2:].strip().replace("`", "")
        return self.source


class Section(NamedTuple):
    """A heading of the navigation and its pages."""

    heading: str
    pages: list[Page]


def read_pages(root: Path) -> list[Page]:
    """Every page of the repository's documentation."""
    sources = [root / name for name in FIRST_PAGES]
    sources += sorted((root / "docs").rglob("*.md"))
    return [
        Page(path.relative_to(root).as_posix(), path.read_text(encoding="utf-8"))
        for path in sources
        if path.is_file()
    ]


def assets(root: Path) -> list[str]:
    """Pictures and data that pages show or name."""
    return sorted(
        path.relative_to(root).as_posix()
        for path in (root / "docs").rglob("*")
        if path.suffix in ASSET_SUFFIXES
    )


def in_sections(pages: list[Page]) -> list[Section]:
    """The navigation: every page stands in it once."""
    left = {page.source: page for page in pages}
    sections = []
    for heading, names in SECTIONS:
        found = []
        for name in names:
            fitting = [
                one for one in left if one == name or (name[-1] == "/" and one.startswith(name))
            ]
            fitting.sort(key=lambda one: (not one.endswith("README.md"), one))
            found += [left.pop(one) for one in fitting]
        if found:
            sections.append(Section(heading, found))
    if left:
        sections.append(Section(FURTHER, list(left.values())))
    return sections
