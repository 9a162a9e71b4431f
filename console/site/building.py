"""Build the site: every page, the navigation, a search that runs in the browser, the assets."""

from __future__ import annotations

import json
import posixpath
import shutil
from pathlib import Path

from console.site.generated import generated_pages
from console.site.pages import Page, Section, assets, in_sections, read_pages
from console.site.rendering import Rendered, escaped, render

STATIC = Path(__file__).parent / "static"
CURRENT = ' aria-current="page"'
MOST_SEARCH_CHARACTERS = 4_000
"""Of each page, for the search: the index of the whole site stays some hundred kilobytes."""


def build_site(root: Path, directory: Path) -> list[Path]:
    """Build the site of a source tree into a folder, which is emptied first; gives its files."""
    pages = [*read_pages(root), *generated_pages()]
    targets = {page.source: page.target for page in pages}
    targets |= {source: source.removeprefix("docs/") for source in assets(root)}
    sections = in_sections(pages)
    if directory.exists():
        shutil.rmtree(directory)
    index = []
    for page in pages:
        rendered = render(page.text, source=page.source, target=page.target, targets=targets)
        _write(directory / page.target, page_html(page, rendered, sections))
        index.append(
            {
                "title": page.title,
                "address": page.target,
                "headings": [[anchor, text] for anchor, _, text in rendered.headings],
                "words": rendered.words[:MOST_SEARCH_CHARACTERS],
            }
        )
    _write(directory / "search-index.js", f"const PAGES = {json.dumps(index)};\n")
    for name in ("style.css", "search.js"):
        shutil.copyfile(STATIC / name, directory / name)
    for source in assets(root):
        place = directory / source.removeprefix("docs/")
        place.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(root / source, place)
    return sorted(path for path in directory.rglob("*") if path.is_file())


def page_html(page: Page, rendered: Rendered, sections: list[Section]) -> str:
    """The whole document of one page."""
    up = posixpath.relpath(".", posixpath.dirname(page.target) or ".")
    outline = "".join(
        f'<li><a href="#{escaped(anchor)}">{escaped(text)}</a></li>'
        for anchor, level, text in rendered.headings
        if level == 2
    )
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'self'; style-src 'self'">
<title>{escaped(page.title)} - Precede</title>
<link rel="stylesheet" href="{up}/style.css">
</head>
<body data-up="{up}">
<a class="skip" href="#content">To the content</a>
<nav aria-label="Pages">
<p class="name"><a href="{up}/index.html">Precede</a></p>
<label for="search">Search</label>
<input id="search" type="search" autocomplete="off" placeholder="press / to search">
<ul id="found" aria-live="polite"></ul>
{navigation(page, sections, up)}
</nav>
<main id="content">
{rendered.body}
</main>
<aside aria-label="On this page"><p>On this page</p><ul>{outline}</ul></aside>
<script src="{up}/search-index.js"></script>
<script src="{up}/search.js"></script>
</body>
</html>
"""


def navigation(page: Page, sections: list[Section], up: str) -> str:
    """Every page by section; the one that is shown is marked."""
    parts = []
    for section in sections:
        links = "".join(
            f'<li><a href="{up}/{escaped(one.target)}"{CURRENT if one == page else ""}>'
            f"{escaped(one.title)}</a></li>"
            for one in section.pages
        )
        parts.append(f"<h2>{escaped(section.heading)}</h2><ul>{links}</ul>")
    return "\n".join(parts)


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")
