"""The whole site is built from this very source."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.site.building import build_site
from console.site.checking import problems
from tests.tidy.repository import ROOT


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("site") / "site"
    build_site(ROOT, directory)
    return directory


def test_every_link_of_the_site_leads_somewhere_and_nothing_is_loaded_from_outside(
    site: Path,
) -> None:
    assert problems(site) == []


def test_pages_have_navigation_search_and_a_policy_that_lets_nothing_else_run(site: Path) -> None:
    page = (site / "edge" / "spool.html").read_text(encoding="utf-8")
    assert 'aria-current="page"' in page
    assert "default-src 'self'" in page
    assert '<script src="../search.js">' in page
    index = (site / "search-index.js").read_text(encoding="utf-8")
    assert '"reference/commands.html"' in index


def test_what_was_built_before_is_gone(site: Path, tmp_path: Path) -> None:
    old = tmp_path / "site" / "old.html"
    old.parent.mkdir()
    old.touch()
    files = build_site(ROOT, tmp_path / "site")
    assert not old.exists()
    assert len(files) == sum(1 for path in site.rglob("*") if path.is_file())
