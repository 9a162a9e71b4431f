"""Markdown becomes HTML whose links stay in the site, and nothing in a page can run."""

from __future__ import annotations

from console.site.rendering import anchor_of, render, site_address
from tests.tidy.links import anchors_of
from tests.tidy.repository import SourceFile

TARGETS = {
    "docs/a.md": "a.html",
    "docs/edge/b.md": "edge/b.html",
    "docs/x/README.md": "x/index.html",
}


def body(text: str) -> str:
    return render(text, source="docs/edge/b.md", target="edge/b.html", targets=TARGETS).body


def test_links_lead_to_the_built_pages() -> None:
    assert '<a href="../a.html#one">a</a>' in body("[a](../a.md#one)")
    assert '<a href="../x/index.html">x</a>' in body("[x](../x)")
    assert '<a href="https://example.org">out</a>' in body("[out](https://example.org)")


def test_a_link_to_a_file_that_is_not_in_the_site_stays_as_words() -> None:
    assert body("see [the code](../../sinks/views.py) there") == "<p>see the code there</p>\n"
    assert site_address("../nothing.md", "docs/edge/b.md", "edge/b.html", TARGETS) is None


def test_raw_html_is_shown_and_not_obeyed() -> None:
    assert "<script>" not in body("<script>alert(1)</script>\n\na <b>b</b>")
    assert "&lt;b&gt;" in body("a <b>b</b>")
    assert "javascript:" not in body("[x](javascript:alert(1))").replace("[x](javascript", "")


def test_headings_have_the_anchors_that_the_sources_links_name() -> None:
    text = "# One\n## What `it` is?\n## One\n"
    rendered = render(text, source="docs/a.md", target="a.html", targets={})
    assert {anchor for anchor, _, _ in rendered.headings} == anchors_of(SourceFile("a.md", text))
    assert anchor_of("One", {"one", "one-1"}) == "one-2"


def test_comments_are_for_who_writes() -> None:
    assert body("<!-- printed from x -->\ntext\n<!-- end -->\n") == "<p>text</p>\n"
