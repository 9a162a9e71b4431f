"""Laws of agreement: a verdict is a function of the two figures that it stands beside."""

from __future__ import annotations

from simulation.evaluation.agreement import below, between, close_to, everywhere
from simulation.evaluation.page import Verdict


def test_a_figure_agrees_up_to_its_tolerance_and_differs_beyond_it() -> None:
    def verdict(measured: float) -> Verdict:
        return close_to("c", stated=50, measured=measured, tolerance=5, reason="r").verdict

    assert verdict(45.0) is Verdict.AGREES
    assert verdict(55.0) is Verdict.AGREES
    assert verdict(44.9) is Verdict.DIFFERS
    assert verdict(55.1) is Verdict.DIFFERS


def test_a_check_prints_both_figures() -> None:
    check = close_to("c", stated=50, measured=41.25, tolerance=5, unit=" %", reason="r")
    assert check.stated == "50 % (± 5)"
    assert check.measured == "41.2 %"


def test_a_bound_is_strict_and_a_range_is_closed() -> None:
    assert below("c", bound=10, measured=10, reason="r").verdict is Verdict.DIFFERS
    assert below("c", bound=10, measured=9.99, reason="r").verdict is Verdict.AGREES
    assert between("c", low=1, high=2, measured=2, reason="r").verdict is Verdict.AGREES
    assert between("c", low=1, high=2, measured=2.01, reason="r").verdict is Verdict.DIFFERS


def test_everywhere_differs_at_the_first_failing_point_and_names_it() -> None:
    check = everywhere(
        "c",
        stated="all",
        cases=[("k=1", True), ("k=2", False), ("k=3", True)],
        reason=lambda failing: f"fails at {len(failing)}",
    )
    assert check.verdict is Verdict.DIFFERS
    assert check.measured == "holds at 2 of 3 points, not at k=2"
    assert check.reason == "fails at 1"
    held = everywhere("c", stated="all", cases=[("k=1", True)], reason="so")
    assert (held.verdict, held.reason) == (Verdict.AGREES, "so")
