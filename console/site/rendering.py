"""From Markdown to HTML: headings get anchors, links to pages get to the built pages.

Raw HTML in a page is shown as text, and a link to a file of the source that is not in the site
stays as words: a reader of the site can follow every link that is shown.
"""

from __future__ import annotations

import html
import posixpath
import re
from collections.abc import Mapping
from typing import Any, NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

_OUTSIDE = re.compile(r"^([a-z][a-z0-9+.-]*:|//)", re.IGNORECASE)


class Rendered(NamedTuple):
    """A page's HTML, its headings (anchor, level, text), and its words for the search."""

    body: str
    headings: list[tuple[str, int, str]]
    words: str


def anchor_of(heading: str, taken: set[str]) -> str:
    """The anchor of a heading, as the source's own pages name it; a repeated one gets a number."""
    words = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
    anchor, count = words, 0
    while anchor in taken:
        count += 1
        anchor = f"{words}-{count}"
    taken.add(anchor)
    return anchor


def render(text: str, *, source: str, target: str, targets: Mapping[str, str]) -> Rendered:
    """Render one page; `targets` says where each file of the source is in the site."""
    parser = MarkdownIt("commonmark", {"html": False}).enable("table")
    tokens = parser.parse(_without_comments(text))
    headings: list[tuple[str, int, str]] = []
    taken: set[str] = set()
    words: list[str] = []
    for place, token in enumerate(tokens):
        if token.type == "heading_open":
            heading = _plain_text(tokens[place + 1])
            anchor = anchor_of(heading, taken)
            token.attrSet("id", anchor)
            headings.append((anchor, int(token.tag[1]), heading))
        if token.type == "inline":
            words.append(_plain_text(token))
            token.children = _linked(token.children or [], source, target, targets)
    return Rendered(parser.renderer.render(tokens, parser.options, {}), headings, " ".join(words))


def _without_comments(text: str) -> str:
    """Comments mark what is printed from the code; a reader needs none of them."""
    return re.sub(r"^<!--.*?-->\n", "", text, flags=re.DOTALL | re.MULTILINE)


def _plain_text(inline: Token) -> str:
    return "".join(
        child.content if child.type in ("text", "code_inline") else " "
        for child in inline.children or []
        if child.type in ("text", "code_inline", "softbreak")
    )


def _linked(
    children: list[Token], source: str, target: str, targets: Mapping[str, str]
) -> list[Token]:
    """Point links and pictures to the site; take away links that lead out of it."""
    kept: list[Token] = []
    open_links: list[bool] = []
    for child in children:
        if child.type == "link_open":
            maybe_address = site_address(str(child.attrGet("href")), source, target, targets)
            open_links.append(maybe_address is not None)
            if maybe_address is None:
                continue
            child.attrSet("href", maybe_address)
        elif child.type == "link_close" and not open_links.pop():
            continue
        elif child.type == "image":
            address = site_address(str(child.attrGet("src")), source, target, targets)
            child.attrSet("src", address or "")
        kept.append(child)
    return kept


def site_address(address: str, source: str, target: str, targets: Mapping[str, str]) -> str | None:
    """Where a link of a page leads in the site; None if to a file that the site does not have."""
    if _OUTSIDE.match(address):
        return address
    path, _, anchor = address.partition("#")
    if not path:
        return address
    wanted = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
    found = targets.get(wanted) or targets.get(f"{wanted}/README.md")
    if found is None:
        return None
    relative = posixpath.relpath(found, posixpath.dirname(target) or ".")
    return f"{relative}#{anchor}" if anchor else relative


def escaped(text: Any) -> str:
    """Text as HTML shows it."""
    return html.escape(str(text))
