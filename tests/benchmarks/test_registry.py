"""Laws of the registry of benchmarks."""

from __future__ import annotations

import pytest

from benchmarks import engine, soak
from benchmarks.errors import UnknownBenchmarkError
from benchmarks.figures import Measured
from benchmarks.registry import BENCHMARKS, find_benchmark
from benchmarks.timing import Say


def test_an_unknown_name_lists_the_known_ones() -> None:
    with pytest.raises(UnknownBenchmarkError, match="'engin': choose one of engine, "):
        find_benchmark("engin")


def test_a_name_gives_its_benchmark(monkeypatch: pytest.MonkeyPatch) -> None:
    def instead(*, say: Say) -> Measured:
        say("measuring")
        return Measured({"a_per_s": 1.0}, {})

    monkeypatch.setattr(engine, "measure", instead)
    told: list[str] = []
    assert find_benchmark("engine") is BENCHMARKS["engine"]
    assert find_benchmark("engine")(told.append).figures == {"a_per_s": 1.0}
    assert told == ["measuring"]


def test_only_the_soak_lasts_as_long_as_it_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    lasted: list[float] = []

    def instead(*, say: Say, minutes: float) -> Measured:
        say("soaking")
        lasted.append(minutes)
        return Measured({}, {})

    monkeypatch.setattr(soak, "measure", instead)
    for maybe_minutes in (5.0, None):
        find_benchmark("soak", maybe_minutes=maybe_minutes)(lambda _: None)
    assert lasted == [5.0, 30.0]
    assert find_benchmark("engine", maybe_minutes=5.0) is BENCHMARKS["engine"]
