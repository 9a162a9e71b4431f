"""Laws of `precede bench`."""

from __future__ import annotations

import json
import os

import pytest

from benchmarks.figures import Measured, at_least
from benchmarks.registry import BENCHMARKS
from benchmarks.timing import Say
from console.command import run
from console.errors import ExitCode
from console.terminal import terminal_of_process


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


@pytest.fixture(autouse=True)
def _known(monkeypatch: pytest.MonkeyPatch) -> None:
    """Two benchmarks that take no time: a slow one, and one that loses a message."""

    def slow(say: Say) -> Measured:
        say("measuring")
        return Measured({"a_messages_per_s": 5.0}, {"a_messages_per_s": at_least(6)})

    def lossy(_: Say) -> Measured:
        return Measured({}, {}, ("a delivered 1 of 2 messages",))

    monkeypatch.setitem(BENCHMARKS, "slow", slow)
    monkeypatch.setitem(BENCHMARKS, "lossy", lossy)


def test_json_is_one_object_with_ok_and_flat_figures(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("bench", "slow", "--output", "json") == ExitCode.OK
    captured = capsys.readouterr()
    result = json.loads(captured.out)
    assert result["ok"] is True
    assert result["figures"] == {"a_messages_per_s": 5.0}
    assert captured.err == "measuring\n"


def test_the_table_tells_the_goal_and_a_missed_one_is_no_failure(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert precede("bench", "slow") == ExitCode.OK
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].split() == ["figure", "measured", "goal"]
    assert lines[1].split() == ["a_messages_per_s", "5", "at", "least", "6", "missed"]


def test_a_lost_message_ends_in_exit_1(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("bench", "lossy", "--output", "json") == ExitCode.CHECK_FAILED
    captured = capsys.readouterr()
    assert json.loads(captured.out)["ok"] is False
    assert "a delivered 1 of 2 messages" in captured.err


def test_an_unknown_benchmark_is_a_usage_error_that_lists_the_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert precede("bench", "engin") == ExitCode.USAGE
    assert "'engin': choose one of engine" in capsys.readouterr().err


def test_an_example_of_the_help_measures_something(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("bench", "authentication", "--output", "json") == ExitCode.OK
    assert json.loads(capsys.readouterr().out)["figures"]["mac_admit_messages_per_s"] > 0
