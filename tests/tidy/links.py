"""Relative links of the documentation point to files and headings that exist."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Collection, Iterable, Iterator
from typing import NamedTuple

from tests.tidy.repository import SourceFile

LINK = re.compile(r"!?\[[^\]]*\]\(\s*<?([^)\s>]+)>?(?:\s+\"[^\"]*\")?\s*\)")
DEFINITION = re.compile(r"^\s*\[[^\]]+\]:\s+<?(\S+?)>?\s*$")
FENCE = re.compile(r"^\s*(```|~~~)")
INLINE_CODE = re.compile(r"`[^`]*`")
HEADING = re.compile(r"^#{1,6}\s+(.*?)\s*#*\s*$")
OUTSIDE = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


class Link(NamedTuple):
    """One link of a page."""

    line: int
    target: str


def links_of(page: SourceFile) -> Iterator[Link]:
    """Every link that stays inside the repository; code is not prose and is left out."""
    for number, line in _prose(page):
        text = INLINE_CODE.sub("", line)
        targets = LINK.findall(text) + DEFINITION.findall(text)
        yield from (Link(number, target) for target in targets if not OUTSIDE.match(target))


def broken_links(files: Iterable[SourceFile], known: Collection[str]) -> list[str]:
    """Links to a file, folder or heading that does not exist."""
    pages = {file.path: file for file in files if file.path.endswith(".md")}
    found = []
    for page in pages.values():
        for link in links_of(page):
            path, _, anchor = link.target.partition("#")
            folder = posixpath.dirname(page.path)
            target = posixpath.normpath(posixpath.join(folder, path)) if path else page.path
            if target != "." and target not in known:
                found.append(f"{page.path}:{link.line}: {link.target} is no file here")
            elif anchor and target in pages and anchor not in anchors_of(pages[target]):
                found.append(f"{page.path}:{link.line}: {link.target} is no heading there")
    return found


def anchors_of(page: SourceFile) -> set[str]:
    """The anchors that a page's headings get; a repeated heading gets a number."""
    anchors: set[str] = set()
    for _, line in _prose(page):
        match = HEADING.match(line)
        if match is None:
            continue
        words = re.sub(r"[^\w\- ]", "", match.group(1).lower()).replace(" ", "-")
        anchor, count = words, 0
        while anchor in anchors:
            count += 1
            anchor = f"{words}-{count}"
        anchors.add(anchor)
    return anchors


def _prose(page: SourceFile) -> Iterator[tuple[int, str]]:
    is_code = False
    for number, line in enumerate(page.text.splitlines(), start=1):
        if FENCE.match(line):
            is_code = not is_code
        elif not is_code:
            yield number, line
