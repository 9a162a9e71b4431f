"""Laws of the benchmark of authentication: it measures all modes, and what it measures is right."""

from __future__ import annotations

from benchmarks.authentication import Options, measure
from benchmarks.registry import BENCHMARKS, find_benchmark

SMALL = Options(messages=64, repeats=1)


def test_every_mode_is_measured_on_both_sides_against_none() -> None:
    told: list[str] = []
    measured = measure(SMALL, say=told.append)
    assert not measured.faults
    assert measured.as_result()["ok"] is True
    for side in ("send", "admit"):
        for mode in ("mac", "aead"):
            assert measured.figures[f"ratio_{mode}_{side}_to_none"] > 0
            assert f"{mode}_{side}_added_ns_per_message" in measured.figures
    assert measured.figures["mac_forged_unknown_name_ns_per_message"] > 0
    assert len(told) == 2


def test_it_is_known_by_its_name() -> None:
    assert find_benchmark("authentication") is BENCHMARKS["authentication"]
