"""Laws of `precede simulate --world members`."""

from __future__ import annotations

import json
import os

import pytest

from console.command import run
from console.errors import ExitCode
from console.terminal import terminal_of_process
from members.holdings import Holdings


def precede(*arguments: str) -> int:
    return run(
        ["simulate", "--world", "members", *arguments], terminal=terminal_of_process(os.environ)
    )


def test_sound_members_end_in_one_line_and_exit_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("--seeds", "3") == ExitCode.OK
    said = capsys.readouterr().out
    assert said.startswith("3 populations  ")
    assert "out_of_order 0  unequal 0  newcomer 0  repeated 0  unconfirmed 0  raised 0" in said
    assert said.count("\n") == 1


def test_json_is_one_object_that_is_ok(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("--seeds", "2", "--from", "7", "--output", "json") == ExitCode.OK
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is True
    assert (result["world"], result["seeds"], result["first_seed"]) == ("members", 2, 7)
    assert result["datagrams_per_delivery"] > 0


def test_a_broken_promise_ends_in_exit_1_with_the_command_that_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def nothing_is_lacking(_self: Holdings, _pid: str) -> list[int]:
        return []

    monkeypatch.setattr(Holdings, "lacking_of", nothing_is_lacking)
    assert precede("--seeds", "25", "--discipline", "semantic") == ExitCode.CHECK_FAILED
    said = capsys.readouterr().err
    assert "broke unequal" in said
    assert "run it again: precede simulate --world members --seeds 1 --from " in said
    assert " --discipline semantic" in said
    assert "members" in said


def test_an_order_that_members_do_not_keep_is_a_slip_of_usage() -> None:
    assert precede("--seeds", "1", "--discipline", "total") == ExitCode.USAGE
