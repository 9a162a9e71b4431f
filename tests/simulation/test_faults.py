"""Laws of the fault layers, each alone."""

from __future__ import annotations

from random import Random

import pytest

from simulation.faults import (
    Clog,
    Delay,
    Duplication,
    Flight,
    Loss,
    Partition,
    Shuffle,
    Split,
    Stop,
)
from simulation.options import SEND_INTERVAL_US, DelayShape

FLIGHT = Flight(source=0, destination=1, sent_at=100)


@pytest.mark.parametrize("shape", [shape for shape in DelayShape if shape is not DelayShape.NONE])
def test_a_delay_is_never_negative_and_has_about_its_mean(shape: DelayShape) -> None:
    layer = Delay(shape=shape, mean_us=1_000, rng=Random(1))
    delays = [layer.carry([0], FLIGHT)[0] for _ in range(2_000)]
    assert min(delays) >= 0
    assert 700 < sum(delays) / len(delays) < 1_700


def test_loss_loses_about_its_share() -> None:
    layer = Loss(share=0.3, rng=Random(1))
    lost = sum(not layer.carry([0], FLIGHT) for _ in range(2_000))
    assert 500 < lost < 700


def test_a_duplicate_comes_after_the_first_copy() -> None:
    layer = Duplication(share=1.0, rng=Random(1))
    for _ in range(100):
        first, second = layer.carry([50], FLIGHT)
        assert first == 50 <= second


def test_a_lost_message_has_no_duplicate() -> None:
    assert Duplication(share=1.0, rng=Random(1)).carry([], FLIGHT) == []


def test_a_shuffle_puts_off_by_no_more_than_its_window() -> None:
    layer = Shuffle(window=4, rng=Random(1))
    moved = [layer.carry([0], FLIGHT)[0] for _ in range(500)]
    assert 0 <= min(moved) < max(moved) < 4 * SEND_INTERVAL_US


@pytest.mark.parametrize(
    ("side", "sent_at", "arrives"),
    [(0b01, 100, False), (0b11, 100, True), (0b00, 100, True), (0b01, 99, True), (0b01, 200, True)],
)
def test_a_partition_loses_what_crosses_it_while_it_lasts(
    side: int, sent_at: int, arrives: bool
) -> None:
    layer = Partition([Split(100, 200, side)])
    assert bool(layer.carry([sent_at], FLIGHT._replace(sent_at=sent_at))) is arrives


def test_a_clog_lets_everything_arrive_when_it_ends() -> None:
    layer = Clog([Stop(100, 200, destination=1)])
    assert layer.carry([99, 100, 199, 200], FLIGHT) == [99, 200, 200, 200]
    assert layer.carry([150], FLIGHT._replace(destination=2)) == [150]
