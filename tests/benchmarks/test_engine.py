"""Laws of the engine's benchmark as a whole, run small."""

from __future__ import annotations

import json

import pytest

from benchmarks import engine
from benchmarks.engine import GOALS, main, measure
from benchmarks.figures import Measured
from benchmarks.options import Options
from benchmarks.timing import Say

SMALL = Options(
    messages=1_000,
    naive_messages=200,
    repeats=1,
    largest=10_000,
    groups=3,
    chain=100,
    idle_messages=500,
)
UNITS = ("_per_s", "_ns", "_s", "_percent", "_bytes")


def test_figures_are_flat_numbers_with_their_unit_or_ratio_in_the_name() -> None:
    told: list[str] = []
    measured = measure(SMALL, say=told.append)
    assert measured.faults == ()
    for name, figure in measured.figures.items():
        assert isinstance(figure, float | int)
        assert "ratio" in name or name.endswith(UNITS), name
    assert len(told) == 7


def test_every_goal_that_a_small_run_can_meet_is_a_figure() -> None:
    large = {name for name in GOALS if "1e" in name}
    assert set(GOALS) - large <= set(measure(SMALL).figures)


@pytest.fixture
def chosen(monkeypatch: pytest.MonkeyPatch) -> list[Options]:
    """Measure nothing; keep what was asked for."""
    asked: list[Options] = []

    def instead(options: Options, *, say: Say) -> Measured:
        asked.append(options)
        say("measuring")
        return Measured({"a_per_s": 1.0}, {}, ("a delivered 1 of 2 messages",))

    monkeypatch.setattr(engine, "measure", instead)
    return asked


def test_options_come_from_the_command_line_and_a_fault_ends_in_1(
    chosen: list[Options], capsys: pytest.CaptureFixture[str]
) -> None:
    arguments = ["--messages", "7", "--repeats", "2", "--largest", "100", "--output", "json"]
    assert main(arguments) == 1
    assert chosen == [Options(messages=7, repeats=2, largest=100)]
    captured = capsys.readouterr()
    assert json.loads(captured.out)["ok"] is False
    assert captured.err == "measuring\na delivered 1 of 2 messages\n"


def test_people_get_a_table(chosen: list[Options], capsys: pytest.CaptureFixture[str]) -> None:
    main([])
    assert chosen == [Options()]
    assert capsys.readouterr().out.splitlines() == ["figure   measured  goal", "a_per_s  1"]
