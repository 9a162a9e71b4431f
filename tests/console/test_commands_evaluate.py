"""Laws of `precede evaluate`."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from console.command import run
from console.commands.evaluate import EXCERPT, WHOLE_DATA, choose_options
from console.errors import ExitCode
from console.terminal import terminal_of_process
from simulation.evaluation.options import DataSource, Size


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


def test_one_json_object_names_every_file_and_every_verdict(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", "objects", "--small", "--output-directory", str(tmp_path)]
    assert precede(*arguments, "--output", "json") == ExitCode.OK
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is True
    (evaluation,) = result["evaluations"]
    assert evaluation["name"] == "objects"
    assert {check["verdict"] for check in evaluation["checks"]} <= {"agrees", "differs"}
    written = {Path(file) for file in evaluation["files"]} | {Path(result["index"])}
    assert written == set(tmp_path.iterdir())


def test_the_table_has_a_line_for_every_statement(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert precede("evaluate", "sco", "--small", "--output-directory", str(tmp_path)) == ExitCode.OK
    captured = capsys.readouterr()
    lines = captured.out.splitlines()
    assert lines[0].split() == ["evaluation", "verdict", "statement", "stated", "ours"]
    assert all(line.startswith("sco ") for line in lines[1:-1])
    assert lines[-1] == f"written to {tmp_path / 'README.md'}"
    assert "evaluating sco" in captured.err


def test_a_misspelt_name_is_a_usage_error_that_lists_the_known_ones(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", "sco", "scoo", "--small", "--output-directory", str(tmp_path / "new")]
    assert precede(*arguments) == ExitCode.USAGE
    assert "'scoo': choose from sco, objects" in capsys.readouterr().err
    assert not (tmp_path / "new").exists()


def test_a_directory_without_data_is_one_sentence(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["evaluate", "waiting", "--data-directory", str(tmp_path)]
    assert precede(*arguments, "--output-directory", str(tmp_path)) == ExitCode.USAGE
    assert "has no *.jsonl" in capsys.readouterr().err


def test_data_is_what_was_named_else_the_published_sets_else_the_excerpt(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    named = choose_options(seed=1, size=Size.FULL, maybe_data_directory=tmp_path)
    assert (named.data_directory, named.data_source) == (tmp_path, DataSource.NAMED)
    monkeypatch.setattr("console.commands.evaluate.WHOLE_DATA", tmp_path)
    whole = choose_options(seed=1, size=Size.FULL, maybe_data_directory=None)
    assert (whole.data_directory, whole.data_source) == (tmp_path, DataSource.WHOLE)
    monkeypatch.setattr("console.commands.evaluate.WHOLE_DATA", tmp_path / "absent")
    rest = choose_options(seed=1, size=Size.FULL, maybe_data_directory=None)
    assert (rest.data_directory, rest.data_source) == (EXCERPT, DataSource.EXCERPT)
    assert WHOLE_DATA.name == "data"
