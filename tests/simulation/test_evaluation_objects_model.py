"""Laws of the objects' model: every invocation is sent; vectors and clocks grow as they must."""

from __future__ import annotations

import random
from collections import Counter

import pytest

from simulation.evaluation.objects_model import ObjectsModel
from simulation.evaluation.objects_world import (
    Mix,
    ObjectsWorld,
    Request,
    draw_conflicts,
    homes,
)

WORLD = ObjectsWorld(computers=4, initiators=3, fan_out=2, transactions_per_computer=2)


def requests(mix: Mix, *, percent: int = 50, seed: int = 1) -> list[Request]:
    objects = len(homes(WORLD)) - WORLD.computers
    table = draw_conflicts(objects, percent=percent, generator=random.Random(seed))
    return ObjectsModel(WORLD, table, mix, seed=seed).run()


@pytest.mark.parametrize("mix", list(Mix))
def test_every_transaction_invokes_three_nested_levels_completely(mix: Mix) -> None:
    per_transaction = WORLD.fan_out + WORLD.fan_out**2 + WORLD.fan_out**3
    assert (
        len(requests(mix)) == WORLD.initiators * WORLD.transactions_per_computer * per_transaction
    )


@pytest.mark.parametrize("mix", list(Mix))
def test_a_computer_counts_every_send_in_its_own_clock(mix: Mix) -> None:
    for computer in range(WORLD.computers):
        counts = [r.clock[computer] for r in requests(mix) if r.computer == computer]
        assert counts == sorted(set(counts))


def test_instances_of_one_parallel_send_carry_one_vector_and_single_sends_their_own() -> None:
    parallel = Counter((r.sender, r.vector) for r in requests(Mix.PARALLEL))
    single = Counter((r.sender, r.vector) for r in requests(Mix.UNICAST, percent=100))
    assert all(count % WORLD.fan_out == 0 for count in parallel.values())
    assert set(single.values()) == {1}


def test_the_own_entry_of_a_vector_is_the_id_of_the_send() -> None:
    for request in requests(Mix.HALF):
        _, target, sends = request.vector[request.sender]
        assert target == request.sender
        assert 1 <= sends <= WORLD.fan_out


def test_the_same_seed_gives_the_same_requests() -> None:
    assert requests(Mix.HALF, seed=5) == requests(Mix.HALF, seed=5)
