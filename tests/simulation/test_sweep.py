"""Laws of many seeds at once."""

from __future__ import annotations

import importlib
import os
import subprocess
import sys
from pathlib import Path

import pytest

from simulation.judge import CHECKERS
from simulation.sweep import MOST_FAILURES_KEPT, Failure, Summary, run_chunk, sweep
from tests.processes import wait_until_gone

"""Much longer than it takes on any machine: only a worker that stays for good is seen."""


def total_of(seeds: int, *, first: int, workers: int) -> Summary:
    total = Summary()
    for chunk in sweep(seeds, first=first, discipline="semantic", workers=workers):
        total.add(chunk)
    return total


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    alone = total_of(240, first=5, workers=1)
    together = total_of(240, first=5, workers=2)
    assert alone == together
    assert alone.seeds == 240


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_result_does_not_depend_on_the_order_of_hashes(hash_seed: str) -> None:
    program = "from simulation.sweep import run_chunk; print(run_chunk(40, count=60).digest)"
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    assert int(printed) == run_chunk(40, count=60).digest


@pytest.mark.parametrize(
    ("module", "name"), [("ordering_list", "LOOSE_LIMIT"), ("engine", "TIDY_EVERY")]
)
def test_when_the_engine_tidies_up_is_invisible(
    module: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Worlds are too small for the engine's own thresholds, so here they are small as well."""
    expected = run_chunk(100, count=60)
    monkeypatch.setattr(importlib.import_module(f"ordering.{module}"), name, 3)
    tidied = run_chunk(100, count=60)
    assert (tidied.digest, tidied.broken) == (expected.digest, expected.broken)


def test_a_chunk_counts_what_its_seeds_made() -> None:
    chunk = run_chunk(0, count=10, discipline="semantic")
    assert chunk.seeds == 10
    assert chunk.messages >= 100
    assert chunk.receipts > chunk.messages
    assert chunk.ok


def test_the_line_names_every_checker() -> None:
    summary = Summary(seeds=20_000, messages=1_234_567)
    line = summary.line()
    assert line.startswith("20,000 seeds  1,234,567 messages")
    assert all(f"  {checker} 0" in line for checker in CHECKERS)


def test_only_the_first_failures_are_kept_and_all_are_counted() -> None:
    total = Summary()
    for seed in range(50, 0, -1):
        chunk = Summary(seeds=1, failures=[Failure(seed, ("lost",), "gone")])
        chunk.broken["lost"] = 1
        total.add(chunk)
    assert not total.ok
    assert total.broken["lost"] == 50
    assert [failure.seed for failure in total.failures] == list(range(1, MOST_FAILURES_KEPT + 1))


SWEEPS_FOR_EVER = """
from multiprocessing import active_children
from {module} import sweep
if __name__ == "__main__":
    for _ in sweep(1_000_000, workers=2):
        print(*(child.pid for child in active_children()), flush=True)
"""


@pytest.mark.parametrize("module", ["simulation.sweep", "simulation.populations.sweep"])
def test_workers_end_when_the_sweep_is_killed(tmp_path: Path, module: str) -> None:
    program = tmp_path / "sweeps_for_ever.py"
    program.write_text(SWEEPS_FOR_EVER.format(module=module), encoding="utf-8")
    with subprocess.Popen([sys.executable, program], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        workers = [int(word) for word in process.stdout.readline().split()]
        process.kill()
    assert workers
    wait_until_gone(workers)
