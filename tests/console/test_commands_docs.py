"""`precede docs`: the site, and care for what else is in a folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from console.commands import docs
from tests.console.shop import precede


def test_the_site_is_built_and_built_again(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    into = tmp_path / "site"
    for _ in range(2):
        said = precede(capsys, "docs", "--into", str(into))
        assert said.code == 0, said.progress
        assert str(into / "index.html") in said.out


def test_a_folder_with_other_things_is_left_alone(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "thesis.txt").touch()
    assert precede(capsys, "docs", "--into", str(tmp_path)).code == 2
    assert (tmp_path / "thesis.txt").exists()
    monkeypatch.setattr(docs, "ROOT", tmp_path)
    assert "source tree" in precede(capsys, "docs", "--into", str(tmp_path / "x")).progress
