"""Law: no link of the documentation leads nowhere."""

from __future__ import annotations

import pytest

from tests.tidy.links import anchors_of, broken_links
from tests.tidy.repository import SourceFile, known_paths, must_be_none, repository

KNOWN = {"docs", "docs/a.md", "docs/b.md", "README.md"}
OTHER = SourceFile("docs/b.md", "# The `engine`, in short\n\n## Laws\n\n## Laws\n")


def broken(text: str) -> list[str]:
    return broken_links([SourceFile("docs/a.md", text), OTHER], KNOWN)


def test_no_link_of_the_documentation_leads_nowhere() -> None:
    must_be_none(broken_links(repository(), known_paths()))


@pytest.mark.parametrize(
    "text",
    [
        "[x](b.md)",
        "[x](../README.md)",
        "[x](../docs)",
        "[x](..)",
        "[x](https://example.com/y)",
        "[x](mailto:a@b)",
        "[x](b.md#laws-1)",
        "[x](b.md#the-engine-in-short)",
        "# Here\n[x](#here)",
        "`[x](none.md)`",
        "```\n[x](none.md)\n```",
        '[x](b.md "with a title")',
        "[x]: b.md",
    ],
)
def test_a_good_link_is_let_be(text: str) -> None:
    assert broken(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "[x](none.md)",
        "![x](none.png)",
        "[x](b.md#nowhere)",
        "[x](#nowhere)",
        "[x]: none.md",
        "```\ncode\n```\n[x](none.md)",
        "[x](../../outside.md)",
    ],
)
def test_a_planted_broken_link_is_found(text: str) -> None:
    assert len(broken(text)) == 1


def test_a_repeated_heading_gets_a_number() -> None:
    assert anchors_of(OTHER) == {"the-engine-in-short", "laws", "laws-1"}
