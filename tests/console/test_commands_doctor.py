"""Laws of `precede doctor`: ok and FAIL in one table, a fix below each failure, exit code 1."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from console import doctor
from console.command import run
from console.doctor import Check, Finding
from console.errors import ExitCode
from console.terminal import terminal_of_process

WELL = Check("java", lambda: Finding(is_ok=True, found="Java 17", fix="none needed"))
ILL = Check("disk", lambda: Finding(is_ok=False, found="0.1 GB free", fix="free some space"))


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


def test_a_healthy_machine_is_told_what_comes_next(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (WELL,))
    assert precede("doctor") == ExitCode.OK
    first, *_, last = capsys.readouterr().out.splitlines()
    assert first == "ok  java  Java 17"
    assert last == "everything is here; next: precede demo"


def test_each_failure_has_its_fix_below_it_and_the_exit_code_is_one(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (WELL, ILL))
    assert precede("doctor") == ExitCode.CHECK_FAILED
    shown = capsys.readouterr()
    assert shown.out.splitlines() == [
        "ok    java  Java 17",
        "FAIL  disk  0.1 GB free",
        "            fix: free some space",
        "",
        "1 of 2 checks failed; mend them and run this again",
    ]
    assert shown.err == ""


def test_the_json_says_the_same_and_has_a_fix_only_for_what_failed(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (WELL, ILL))
    assert precede("doctor", "--output", "json") == ExitCode.CHECK_FAILED
    assert json.loads(capsys.readouterr().out) == {
        "ok": False,
        "checks": [
            {"name": "java", "ok": True, "found": "Java 17", "fix": None},
            {"name": "disk", "ok": False, "found": "0.1 GB free", "fix": "free some space"},
        ],
    }


def test_the_json_of_a_healthy_machine_is_ok(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(doctor, "CHECKS", (WELL,))
    assert precede("doctor", "--output", "json") == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["ok"] is True


def test_the_real_checks_find_a_state_directory_without_jars(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("PRECEDE_HOME", str(tmp_path / "empty"))
    assert precede("doctor", "--output", "json") == ExitCode.CHECK_FAILED
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert [check["name"] for check in checks if not check["ok"]] == ["jars"]
