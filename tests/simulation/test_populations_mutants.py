"""Laws of the mutation check: a bug that is planted in the members is found by a population."""

from __future__ import annotations

from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context

import pytest

from tests.simulation.mutants import Mutant, planted, source_of
from tests.simulation.population_mutants import MOST_SEEDS, PLANTED, hunt

FEWEST = 8


def test_there_are_enough_mutants_and_each_has_its_own_name() -> None:
    assert len({mutant.name for mutant in PLANTED}) == len(PLANTED) >= FEWEST


@pytest.mark.parametrize("mutant", PLANTED, ids=lambda mutant: mutant.name)
def test_every_mutant_still_changes_the_members(mutant: Mutant) -> None:
    source = source_of(mutant.module).read_text(encoding="utf-8")
    assert planted(mutant, source=source) != source


def test_every_planted_bug_is_caught(capsys: pytest.CaptureFixture[str]) -> None:
    context = get_context("spawn")
    escaped = []
    lines = []
    with ProcessPoolExecutor(2, mp_context=context, max_tasks_per_child=1) as pool:
        hunts = [pool.submit(hunt, mutant) for mutant in PLANTED]
        for mutant, future in zip(PLANTED, hunts, strict=True):
            caught = future.result()
            if caught is None:
                escaped.append(mutant.name)
            else:
                lines.append(f"{mutant.name:<55} {caught.checker:<14} seed {caught.seed}")
    with capsys.disabled():
        print("\n" + "\n".join(lines))
    assert not escaped, f"not caught within {MOST_SEEDS} populations: {', '.join(escaped)}"
