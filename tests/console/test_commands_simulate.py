"""Laws of `precede simulate`."""

from __future__ import annotations

import json
import os

import pytest

from console.command import run
from console.commands.simulate import bar, explain
from console.errors import ExitCode
from console.terminal import terminal_of_process
from ordering.engine import Engine
from ordering.events import Event
from ordering.values import Message
from simulation.sweep import Failure, Summary


def precede(*arguments: str) -> int:
    return run(list(arguments), terminal=terminal_of_process(os.environ))


def plant_a_fault(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine says nothing at all about a sender's third message."""
    receive = Engine.receive

    def forget(engine: Engine, message: Message, *, now: int) -> list[Event]:
        return [] if message.id.seq == 3 else receive(engine, message, now=now)

    monkeypatch.setattr(Engine, "receive", forget)


def test_a_sound_engine_ends_in_one_line_and_exit_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("simulate", "--seeds", "5", "--discipline", "semantic") == ExitCode.OK
    captured = capsys.readouterr()
    assert captured.out.startswith("5 seeds  ")
    assert captured.out.count("\n") == 1
    assert "lost 0  duplicated 0  out_of_order 0" in captured.out


def test_json_is_one_object_that_is_ok(capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--seeds", "4", "--from", "9", "--discipline", "semantic", "--output", "json"]
    assert precede("simulate", *arguments) == ExitCode.OK
    result = json.loads(capsys.readouterr().out)
    assert result["ok"] is True
    assert (result["seeds"], result["first_seed"]) == (4, 9)
    assert set(result["broken"].values()) == {0}
    assert result["failures"] == []


def test_a_broken_promise_ends_in_exit_1_with_the_command_that_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_a_fault(monkeypatch)
    arguments = ["--seeds", "1", "--from", "3", "--discipline", "semantic"]
    assert precede("simulate", *arguments) == ExitCode.CHECK_FAILED
    said = capsys.readouterr().err
    assert "run it again: precede simulate --seeds 1 --from 3 --discipline semantic" in said
    assert "the smallest world that still fails:" in said
    assert "its shortest history:" in said


def test_one_seed_alone_tells_what_its_world_is(capsys: pytest.CaptureFixture[str]) -> None:
    assert precede("simulate", "--seeds", "1", "--from", "7", "--discipline", "causal") == 0
    said = capsys.readouterr().err
    assert "the world of seed 7:" in said
    assert "groups           causal" in said


def test_a_failure_in_json_carries_the_command_that_shows_it_again(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    plant_a_fault(monkeypatch)
    arguments = ["--seeds", "1", "--from", "3", "--discipline", "semantic", "--output", "json"]
    assert precede("simulate", *arguments) == ExitCode.CHECK_FAILED
    (failure,) = json.loads(capsys.readouterr().out)["failures"]
    assert failure["replay"] == "precede simulate --seeds 1 --from 3 --discipline semantic"


def test_an_unknown_discipline_is_a_usage_error_that_lists_the_known(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert precede("simulate", "--discipline", "sematic") == ExitCode.USAGE
    assert "semantic+fifo" in capsys.readouterr().err


def test_the_bar_grows_and_tells_what_is_left() -> None:
    done = Summary(seeds=500)
    assert bar(done, seeds=1_000, elapsed_s=5.0) == (
        f"[{'#' * 15}{'.' * 15}] 500/1,000 seeds  100/s  5 s left"
    )
    done.broken["lost"] = 2
    assert bar(done, seeds=1_000, elapsed_s=5.0).endswith("broken 2")


def test_a_failure_that_does_not_come_back_is_told_without_a_history() -> None:
    told = explain(Failure(3, ("lost",), "a is gone"), discipline="semantic")
    assert "seed 3 broke lost: a is gone" in told
    assert "shortest history" not in told
