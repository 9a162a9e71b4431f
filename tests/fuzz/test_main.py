"""Fuzzing from the shell ends with one line for each target, and keeps what crashes."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.fuzz import __main__ as command
from tests.fuzz import corpus
from tests.fuzz.targets import TARGETS


def test_a_clean_run_says_so_in_a_line_and_ends_well(capsys: pytest.CaptureFixture[str]) -> None:
    assert command.main(["--target", "refusal", "--inputs", "500", "--seed", "3"]) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("refusal: 500 inputs, 0 crashes,")
    assert lines[-1] == "all: 500 inputs, 0 crashes, seed 3"


def test_a_crash_is_kept_and_ends_badly(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def planted(data: bytes) -> str:
        if b"PRCB" in data:
            raise KeyError("PRCB")
        return "accepted"

    monkeypatch.setattr(corpus, "CRASHES", tmp_path)
    monkeypatch.setitem(TARGETS, "bundle", TARGETS["bundle"]._replace(run=planted))
    assert command.main(["--target", "bundle", "--inputs", "50"]) == 1
    assert "KeyError at planted" in capsys.readouterr().out
    assert corpus.read(tmp_path, "bundle") == [b"PRCB"]


def test_an_unknown_target_lists_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        command.main(["--target", "none"])
    assert "envelope" in capsys.readouterr().err
