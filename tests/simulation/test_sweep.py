"""Laws of many seeds at once."""

from __future__ import annotations

from simulation.judge import CHECKERS
from simulation.sweep import MOST_FAILURES_KEPT, Failure, Summary, run_chunk, sweep


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


def test_a_chunk_counts_what_its_seeds_made() -> None:
    chunk = run_chunk(0, 10, "semantic")
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
