"""Check a built site: links lead to files and anchors, and nothing is loaded from outside."""

from __future__ import annotations

import posixpath
import re
from html.parser import HTMLParser
from pathlib import Path

_OUTSIDE = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)
_LOADED = {"img": "src", "script": "src", "link": "href", "iframe": "src", "source": "src"}


class _Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.followed: list[str] = []
        self.loaded: list[str] = []
        self.anchors: set[str] = set()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        fields = dict(attrs)
        if fields.get("id"):
            self.anchors.add(str(fields["id"]))
        if tag == "a" and fields.get("href"):
            self.followed.append(str(fields["href"]))
        if tag in _LOADED and fields.get(_LOADED[tag]):
            self.loaded.append(str(fields[_LOADED[tag]]))


def problems(directory: Path) -> list[str]:
    """Everything that a reader of the site would stumble over."""
    pages: dict[str, _Links] = {}
    for path in sorted(directory.rglob("*.html")):
        links = _Links()
        links.feed(path.read_text(encoding="utf-8"))
        pages[path.relative_to(directory).as_posix()] = links
    found = []
    for name, links in pages.items():
        found += [
            f"{name} loads {address} from another host"
            for address in links.loaded
            if _OUTSIDE.match(address)
        ]
        for address in [*links.followed, *links.loaded]:
            if not _OUTSIDE.match(address):
                found += _problem(directory, pages, name, address)
    return found


def _problem(directory: Path, pages: dict[str, _Links], name: str, address: str) -> list[str]:
    path, _, anchor = address.partition("#")
    target = posixpath.normpath(posixpath.join(posixpath.dirname(name), path)) if path else name
    if not (directory / target).is_file():
        return [f"{name} leads to {address}, which is not there"]
    if anchor and target in pages and anchor not in pages[target].anchors:
        return [f"{name} leads to {address}, and {target} has no such heading"]
    return []
