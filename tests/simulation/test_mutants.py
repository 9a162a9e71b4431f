"""Laws of the mutation check: a bug that is planted in the engine is found by the simulator."""

from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.simulation.mutants import MOST_SEEDS, Mutant, MutantGoneError, hunt, planted, source_of
from tests.simulation.planted import PLANTED

FEWEST = 12
PROCESSES = 2


@pytest.fixture(scope="module")
def pool() -> Iterator[ProcessPoolExecutor]:
    """Processes that each hunt one mutant and end, so that nothing of it is left behind."""
    context = get_context("spawn")
    with ProcessPoolExecutor(PROCESSES, mp_context=context, max_tasks_per_child=1) as executor:
        yield executor


def test_there_are_enough_mutants_and_each_has_its_own_name() -> None:
    assert len({mutant.name for mutant in PLANTED}) == len(PLANTED) >= FEWEST


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_every_mutant_still_changes_the_engine(mutant: Mutant) -> None:
    source = source_of(mutant.module).read_text(encoding="utf-8")
    assert planted(mutant, source=source) != source


def test_a_mutant_whose_text_is_gone_says_so() -> None:
    gone = Mutant("gone", "ordering.runs", "there is no such text", "")
    with pytest.raises(MutantGoneError, match="occurs 0 times"):
        planted(gone, source=source_of(gone.module).read_text(encoding="utf-8"))


def test_the_engine_without_a_bug_is_not_caught(pool: ProcessPoolExecutor) -> None:
    text = "def gaps(runs: Runs) -> int:\n"
    sound = Mutant("sound", "ordering.runs", text, text)
    assert pool.submit(hunt, sound, seeds=300).result() is None


def test_every_planted_bug_is_caught(
    pool: ProcessPoolExecutor, capsys: pytest.CaptureFixture[str]
) -> None:
    hunts = [pool.submit(hunt, mutant) for mutant in PLANTED]
    escaped = []
    lines = []
    for mutant, future in zip(PLANTED, hunts, strict=True):
        caught = future.result()
        if caught is None:
            escaped.append(mutant.name)
        else:
            lines.append(f"{mutant.name:<60} {caught.checker:<24} seed {caught.seed}")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    assert not escaped, f"not caught within {MOST_SEEDS} seeds: {', '.join(escaped)}"
