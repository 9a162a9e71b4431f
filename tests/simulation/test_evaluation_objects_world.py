"""Laws of the objects' world: the conflict ratio is met exactly, and conflict is symmetric."""

from __future__ import annotations

import random

import pytest

from simulation.evaluation.objects_world import (
    METHOD_PAIRS,
    METHODS,
    ObjectsWorld,
    draw_conflicts,
    homes,
)


@pytest.mark.parametrize("percent", [0, 10, 60, 100])
def test_every_object_has_exactly_the_asked_share_of_conflicting_pairs(percent: int) -> None:
    table = draw_conflicts(5, percent=percent, generator=random.Random(1))
    assert len(METHOD_PAIRS) == 10
    assert all(len(pairs) == percent // 10 for pairs in table.pairs)


def test_conflict_is_symmetric() -> None:
    table = draw_conflicts(1, percent=50, generator=random.Random(2))
    for one in range(METHODS):
        for other in range(METHODS):
            assert table.conflict(0, one, other) == table.conflict(0, other, one)


def test_computers_have_one_or_two_objects_and_one_transaction_object() -> None:
    assert homes(ObjectsWorld(computers=3)) == [0, 1, 1, 2, 0, 1, 2]
