"""The tutorial, typed as a new user types it: what is printed stands on the page."""

from __future__ import annotations

import shlex
import shutil
from pathlib import Path

import pytest

from tests.console.shop import SHOP, precede
from tests.docs.code_blocks import blocks_of
from tests.tidy.repository import ROOT

PAGE = "docs/tutorial.md"


def test_every_step_prints_what_the_page_says(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "docs").mkdir()
    shutil.copy(SHOP, tmp_path / "docs" / "shop.jsonl")
    monkeypatch.chdir(tmp_path)
    steps = [
        step
        for block in blocks_of(PAGE, (ROOT / PAGE).read_text(encoding="utf-8"))
        if block.language == "console"
        for step in block.printed()
    ]
    assert len(steps) >= 7
    for command, expected in steps:
        said = precede(capsys, *shlex.split(command)[1:])
        assert said.code == 0, said.progress
        assert said.lines == expected, command
