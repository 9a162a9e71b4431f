"""The page of the exit codes is the code's own."""

from __future__ import annotations

from console.command import EPILOG
from console.errors import ExitCode
from console.exit_codes import MEANINGS, PAGE_PATH, page
from tests.tidy.repository import ROOT


def test_every_code_has_a_meaning() -> None:
    assert set(MEANINGS) == set(ExitCode)


def test_the_page_is_made_from_the_code() -> None:
    assert (ROOT / PAGE_PATH).read_text(encoding="utf-8") == page()


def test_the_help_names_every_code() -> None:
    said = EPILOG.replace("\n", " ")
    assert all(f"{int(code)} " in said for code in ExitCode)
