"""Laws of the timing."""

from __future__ import annotations

import gc

import pytest

from benchmarks.timing import (
    NS_PER_S,
    Run,
    calibration_loop_ns,
    fresh_memory,
    race,
    without_collector,
)


def test_a_rate_and_a_cost_say_the_same() -> None:
    run = Run(messages=500, delivered=500, elapsed_ns=NS_PER_S // 4)
    assert run.per_s == 2_000
    assert run.ns_per_message == NS_PER_S / 2_000


def test_contestants_take_turns_and_the_best_run_of_each_counts() -> None:
    turns: list[str] = []
    times = {"a": [30, 10, 20], "b": [5, 7, 6]}

    def run(name: str) -> Run:
        turns.append(name)
        return Run(1, 1, times[name].pop(0))

    best = race({"a": lambda: run("a"), "b": lambda: run("b")}, repeats=3)
    assert turns == ["a", "b"] * 3
    assert {name: one.elapsed_ns for name, one in best.items()} == {"a": 10, "b": 5}


def test_what_was_there_before_is_hidden_from_the_collector_and_given_back() -> None:
    before = gc.get_freeze_count()
    with fresh_memory():
        assert gc.get_freeze_count() > before
        assert gc.isenabled()
    assert gc.get_freeze_count() == 0


def test_the_collector_is_off_inside_and_on_again_after_a_failure() -> None:
    def fail() -> None:
        assert not gc.isenabled()
        raise RuntimeError

    with pytest.raises(RuntimeError), without_collector():
        fail()
    assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    try:
        with without_collector():
            pass
        assert not gc.isenabled()
    finally:
        gc.enable()


def test_the_calibration_takes_some_time() -> None:
    assert calibration_loop_ns() > 0
