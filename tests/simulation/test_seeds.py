"""Laws of many seeds: the sweep that every change has to pass, and seeds that once failed."""

from __future__ import annotations

from pathlib import Path

import pytest

from simulation.judge import CHECKERS
from simulation.run import run_seed
from simulation.sweep import Summary, sweep

SEEDS = 20_000
"""Under three minutes on two cores; `make soak` runs a million."""

ONCE_FAILED = Path(__file__).with_name("seeds.txt")


def once_failed() -> list[tuple[int, str | None]]:
    """The seeds of seeds.txt, with the discipline that they were run with."""
    seeds: list[tuple[int, str | None]] = []
    for line in ONCE_FAILED.read_text(encoding="utf-8").splitlines():
        words = line.split("#")[0].split()
        if words:
            seeds.append((int(words[0]), words[1] if len(words) > 1 else None))
    return seeds


@pytest.mark.parametrize(("seed", "discipline"), once_failed())
def test_a_seed_that_once_failed_fails_no_more(seed: int, discipline: str | None) -> None:
    violations = run_seed(seed, discipline=discipline).violations
    assert not violations, "\n".join(str(violation) for violation in violations)


@pytest.mark.timeout(1_800)  # a machine that is busy with something else is no failure
def test_twenty_thousand_worlds_break_no_promise() -> None:
    total = Summary()
    for chunk in sweep(SEEDS):
        total.add(chunk)
    failures = "\n".join(f"seed {one.seed}: {one.sentence}" for one in total.failures)
    assert total.ok, f"{total.line()}\n{failures}"
    assert total.seeds == SEEDS
    assert total.messages > 20 * SEEDS
    assert total.crash_points > SEEDS
    assert set(total.broken) <= set(CHECKERS)
