"""Laws of the typed world: types are spelt from what an operation does, shares are met."""

from __future__ import annotations

import random

import pytest

from ordering.stamps import MessageType
from simulation.evaluation.significant_world import (
    OPERATIONS,
    Catalogue,
    Operation,
    SignificantWorld,
    draw_catalogue,
)


def drawn(state_percent: int, conflict_percent: int) -> Catalogue:
    return draw_catalogue(
        6,
        state_percent=state_percent,
        conflict_percent=conflict_percent,
        generator=random.Random(1),
    )


def test_types_say_whether_there_is_input_a_change_of_state_and_output() -> None:
    write = Operation(has_input=True, changes_state=True, has_output=False)
    read = Operation(has_input=False, changes_state=False, has_output=True)
    assert write.request_type is MessageType.REQUEST_INPUT_STATE
    assert write.response_type is MessageType.RESPONSE_PLAIN
    assert read.request_type is MessageType.REQUEST_PLAIN
    assert read.response_type is MessageType.RESPONSE_OUTPUT


@pytest.mark.parametrize("percent", [0, 25, 50, 100])
def test_exactly_the_asked_share_of_operations_changes_state(percent: int) -> None:
    for operations in drawn(percent, 50).operations:
        assert (
            sum(operation.changes_state for operation in operations) == percent * OPERATIONS / 100
        )


def test_two_operations_that_only_read_never_conflict() -> None:
    catalogue = drawn(50, 100)
    for operations, conflicts in zip(catalogue.operations, catalogue.conflicts, strict=True):
        for one in range(OPERATIONS):
            for other in range(one, OPERATIONS):
                changes = operations[one].changes_state or operations[other].changes_state
                assert ((one, other) in conflicts) == changes


def test_a_greater_share_keeps_what_a_smaller_one_has() -> None:
    few, many = drawn(50, 30), drawn(50, 70)
    for fewer, more in zip(few.conflicts, many.conflicts, strict=True):
        assert fewer <= more


def test_every_object_is_in_one_layer() -> None:
    world = SignificantWorld(clients=3, services=2, stores=4)
    assert [number for layer in world.layers for number in layer] == list(range(9))
