"""Laws of many populations: the sweep that every change has to pass, and seeds that once failed."""

from __future__ import annotations

import os
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from simulation.populations.options import Newcomer, expand
from simulation.populations.run import run_options, run_population
from simulation.populations.sweep import Failure, Summary, run_chunk, sweep

SEEDS = 2_000
"""About a minute on two cores."""

ONCE_FAILED = Path(__file__).with_name("population_seeds.txt")


def once_failed() -> list[tuple[int, str | None]]:
    """The seeds of population_seeds.txt, with the discipline that they were run with."""
    seeds: list[tuple[int, str | None]] = []
    for line in ONCE_FAILED.read_text(encoding="utf-8").splitlines():
        words = line.split("  #")[0].split()
        if words and not line.startswith("#"):
            seeds.append((int(words[0]), words[1] if len(words) > 1 else None))
    return seeds


@pytest.mark.parametrize(("seed", "discipline"), once_failed())
def test_a_population_that_once_failed_fails_no_more(seed: int, discipline: str | None) -> None:
    broken = run_population(seed, discipline=discipline).broken
    assert not broken, "\n".join(str(one) for one in broken)


def test_two_thousand_populations_break_no_promise(capsys: pytest.CaptureFixture[str]) -> None:
    total = Summary()
    for chunk in sweep(SEEDS):
        total.add(chunk)
    with capsys.disabled():
        print(f"\n{total.line()}")
    failures = "\n".join(f"{one.sentence}\n  {one.command()}" for one in total.failures)
    assert total.ok, f"{total.line()}\n{failures}"
    assert total.seeds == SEEDS
    assert total.deliveries > 50 * SEEDS
    assert total.came_by_answer > 5 * SEEDS
    assert total.copies_per_message_that_came_by_answer < 1.5
    assert total.datagrams_per_delivery < 2


@pytest.mark.parametrize("acceptance", ["causal", "full"])
def test_a_large_causal_population_with_every_fault_breaks_no_promise(acceptance: str) -> None:
    options = replace(
        expand(5, discipline="causal"),
        acceptance=acceptance, members=20, newcomers=tuple(Newcomer), messages=6, loss=0.3,
        duplication=0.2, jitter_us=20_000, partitions=1, crashes=2, leaves=1, hostile=10, flood=0,
    )  # fmt: skip
    broken = run_options(options).broken
    assert not broken, "\n".join(str(one) for one in broken)


def test_where_nothing_is_ordered_nothing_is_lost_or_repeated_either() -> None:
    chunk = run_chunk(0, count=100, discipline="none")
    assert chunk.ok, chunk.failures


def test_the_result_does_not_depend_on_the_number_of_workers() -> None:
    def total_of(workers: int) -> Summary:
        total = Summary()
        for chunk in sweep(30, first=5, discipline="semantic", workers=workers):
            total.add(chunk)
        return total

    assert total_of(1) == total_of(2)


@pytest.mark.parametrize("hash_seed", ["1", "2"])
def test_the_result_does_not_depend_on_the_order_of_hashes(hash_seed: str) -> None:
    program = (
        "from simulation.populations.sweep import run_chunk;"
        "print(run_chunk(40, count=20).digest + run_chunk(0, count=8, discipline='causal').digest)"
    )
    printed = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": hash_seed},
        capture_output=True,
        check=True,
        text=True,
    ).stdout
    here = run_chunk(40, count=20).digest + run_chunk(0, count=8, discipline="causal").digest
    assert int(printed) == here


def test_a_chunk_counts_what_its_seeds_made_and_is_one_object() -> None:
    chunk = run_chunk(0, count=5)
    assert chunk.seeds == 5
    assert chunk.deliveries > chunk.messages > 0
    result = chunk.as_result(first=0, took_s=1.25)
    assert result["ok"] is True
    assert set(result["broken"].values()) == {0}


def test_a_failure_names_the_command_that_shows_it_again() -> None:
    failure = Failure(7, ("unequal",), "gone")
    assert failure.command() == "precede simulate --world members --seeds 1 --from 7"
    assert failure.command("fifo").endswith("--from 7 --discipline fifo")
