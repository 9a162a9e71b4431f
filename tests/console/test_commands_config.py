"""Laws of `precede config`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from console.command import run
from console.errors import ExitCode
from console.terminal import terminal_of_process


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty current folder, and an environment without anything of ours."""
    monkeypatch.chdir(tmp_path)
    for name in [name for name in os.environ if name.startswith("PRECEDE")]:
        monkeypatch.delenv(name)
    return tmp_path


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


def with_password(folder: Path) -> None:
    (folder / "password").write_text("hunter2\n", encoding="utf-8")
    (folder / "password").chmod(0o600)
    (folder / "precede.toml").write_text(
        '[kafka]\nsecurity_protocol = "sasl_ssl"\nusername = "job"\npassword_file = "password"\n',
        encoding="utf-8",
    )


def test_show_has_each_value_with_where_it_came_from(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "precede.toml").write_text("[kafka]\npartitions = 4\n", encoding="utf-8")
    monkeypatch.setenv("PRECEDE__JOB__TASKS", "3")
    arguments = ["config", "show", "--origin", "--set", "job.log_level=info"]
    assert precede(*arguments) == ExitCode.OK
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    assert lines["kafka.partitions"] == ["4", "precede.toml:2"]
    assert lines["job.tasks"] == ["3", "PRECEDE__JOB__TASKS"]
    assert lines["job.log_level"] == ['"info"', "--set"]
    assert lines["job.give_up"] == ['"hold"', "default"]


def test_show_without_origin_has_two_columns(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("config", "show") == ExitCode.OK
    assert capsys.readouterr().out.splitlines()[0].split() == ["KEY", "VALUE"]


@pytest.mark.parametrize("output", ["table", "json"])
def test_show_has_stars_for_a_secret_and_never_the_secret(
    folder: Path, output: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with_password(folder)
    assert precede("config", "show", "--origin", "--output", output) == ExitCode.OK
    shown = capsys.readouterr().out
    assert "kafka.password" in shown
    assert "**********" in shown
    assert "hunter2" not in shown


def test_show_as_json_is_one_object(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with_password(folder)
    assert precede("config", "show", "--output", "json") == ExitCode.OK
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is True
    assert result["file"] == "precede.toml"
    assert result["values"]["kafka.username"] == {
        "value": "job",
        "origin": "precede.toml:3",
        "kind": "file",
    }
    assert result["values"]["kafka.password"]["value"] == "**********"


def test_check_of_a_good_configuration_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("config", "check") == ExitCode.OK
    told = capsys.readouterr()
    assert told.out.startswith("ok: no precede.toml; ")
    assert told.out.count("\n") == 1
    assert told.err == ""


def test_check_of_a_bad_configuration_tells_everything(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "site.toml").write_text('[kafka]\nbootstap = "h:1"\npartitions = 0\n', "utf-8")
    assert precede("config", "check", "--config", "site.toml") == ExitCode.CONFIGURATION
    told = capsys.readouterr()
    assert told.out == ""
    assert told.err.splitlines()[0] == (
        "precede: site.toml:2: kafka.bootstap is not a known key; did you mean kafka.bootstrap?"
    )
    assert told.err.splitlines()[-1] == "precede: 2 problems in the configuration"


def test_check_as_json_has_every_problem(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("config", "check", "--output", "json") == ExitCode.OK
    assert json.loads(capsys.readouterr().out) == {"ok": True, "problems": []}
    (folder / "precede.toml").write_text("[kafka]\npartitions = 0\n", encoding="utf-8")
    assert precede("config", "check", "--output", "json") == ExitCode.CONFIGURATION
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is False
    assert len(result["problems"]) == 1


def test_init_writes_a_file_that_check_accepts(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert precede("config", "init") == ExitCode.OK
    assert "next: precede config check" in capsys.readouterr().out
    assert (folder / "precede.toml").is_file()
    assert precede("config", "check") == ExitCode.OK


def test_init_writes_where_it_is_told(folder: Path) -> None:
    assert precede("config", "init", "--config", "site.toml") == ExitCode.OK
    assert (folder / "site.toml").is_file()


def test_init_never_writes_over_a_file(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "precede.toml").write_text("mine", encoding="utf-8")
    assert precede("config", "init") == ExitCode.CONFIGURATION
    assert "exists and is not written over" in capsys.readouterr().err
    assert (folder / "precede.toml").read_text(encoding="utf-8") == "mine"


def test_init_says_why_it_cannot_write(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("config", "init", "--config", "no/such/folder.toml") == ExitCode.CONFIGURATION
    assert "cannot be written (no such file or directory)" in capsys.readouterr().err


def test_the_reference_page_can_be_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("config", "reference") == ExitCode.OK
    assert capsys.readouterr().out.startswith("# Configuration\n")
