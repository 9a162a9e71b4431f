"""Laws of the page that describes the configuration."""

from __future__ import annotations

from pathlib import Path

from console.configuration.loading import all_options
from console.configuration.reference import PAGE_PATH, reference_page

ROOT = Path(__file__).parents[2]


def test_the_page_is_what_the_code_says() -> None:
    """If this fails: precede config reference > docs/reference/configuration.md"""
    assert (ROOT / PAGE_PATH).read_text(encoding="utf-8") == reference_page()


def test_every_option_is_on_the_page() -> None:
    page = reference_page()
    for section, options in all_options().items():
        assert f"## `[{section}]`" in page
        for option in options:
            assert f"| `{option.name}` |" in page, option.path
            assert option.help.replace("|", "\\|") in page
