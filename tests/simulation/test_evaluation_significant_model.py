"""Laws of the calling world: every request is answered, conflicting operations never overlap."""

from __future__ import annotations

import random

import pytest

from simulation.evaluation.significant_model import SignificantModel
from simulation.evaluation.significant_world import (
    Catalogue,
    History,
    SignificantWorld,
    StepKind,
    draw_catalogue,
)

WORLD = SignificantWorld(clients=4, services=2, stores=2, transactions_per_client=3)


def run(conflict_percent: int, *, seed: int = 1) -> tuple[History, Catalogue]:
    catalogue = draw_catalogue(
        WORLD.layers[-1].stop,
        state_percent=100,
        conflict_percent=conflict_percent,
        generator=random.Random(seed),
    )
    return SignificantModel(WORLD, catalogue, seed=seed).run(), catalogue


@pytest.mark.parametrize("conflict_percent", [0, 50, 100])
def test_every_request_is_answered_once_and_every_message_received_once(
    conflict_percent: int,
) -> None:
    history, _ = run(conflict_percent)
    calls = WORLD.calls_per_operation
    transactions = WORLD.clients * WORLD.transactions_per_client
    assert len(history.messages) == 2 * transactions * (calls + calls**2)
    answered = [m.response_to for m in history.messages if m.response_to is not None]
    assert len(answered) == len(set(answered)) == len(history.messages) // 2
    received = [
        step.message for steps in history.steps for step in steps if step.kind is StepKind.RECEIVE
    ]
    assert sorted(received) == list(range(len(history.messages)))


def test_conflicting_operations_of_one_object_never_overlap() -> None:
    history, catalogue = run(100)
    for one in history.instances:
        for other in history.instances:
            if one is not other and one.target == other.target:
                assert one.maybe_ended is not None
                assert other.maybe_ended is not None
                if catalogue.conflict(one.target, one.operation, other.operation):
                    assert one.maybe_ended <= other.began or other.maybe_ended <= one.began


def test_compatible_operations_do_overlap() -> None:
    history, _ = run(0)
    overlaps = [
        (one, other)
        for number, one in enumerate(history.instances)
        for other in history.instances[number + 1 :]
        if one.target == other.target and other.began < (one.maybe_ended or 0)
    ]
    assert overlaps


def test_an_object_never_sends_two_messages_at_one_instant() -> None:
    history, _ = run(50)
    sends = [(message.sender, message.sent_at) for message in history.messages]
    assert len(sends) == len(set(sends))


def test_the_same_seed_gives_the_same_history() -> None:
    assert run(50, seed=7) == run(50, seed=7)
