"""Every page of the source is in the navigation once, and has one place in the site."""

from __future__ import annotations

from console.site.pages import FURTHER, Page, assets, in_sections, read_pages
from tests.tidy.repository import ROOT


def test_every_page_of_the_source_is_in_the_navigation_once() -> None:
    pages = read_pages(ROOT)
    listed = [page.source for section in in_sections(pages) for page in section.pages]
    assert sorted(listed) == sorted(page.source for page in pages)
    assert len({page.target for page in pages}) == len(pages)
    assert "docs/cookbook.md" in listed


def test_a_page_that_no_section_names_comes_last() -> None:
    (last,) = [one for one in in_sections([Page("docs/new.md", "# New")]) if one.heading == FURTHER]
    assert [page.title for page in last.pages] == ["New"]


def test_a_readme_is_the_index_of_its_folder() -> None:
    assert Page("README.md", "").target == "index.html"
    assert Page("docs/members/README.md", "").target == "members/index.html"
    assert Page("docs/GLOSSARY.md", "").target == "glossary.html"


def test_pictures_and_data_are_assets() -> None:
    assert "docs/shop.jsonl" in assets(ROOT)
