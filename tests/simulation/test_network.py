"""Laws of the stack of layers."""

from __future__ import annotations

from dataclasses import replace

from simulation.faults import Clog, Delay, Duplication, Loss, Partition, Shuffle
from simulation.network import Network, stack, stream
from simulation.options import DelayShape
from tests.simulation.worlds import plain_options

EVERYTHING = replace(
    plain_options(),
    delay_shape=DelayShape.UNIFORM,
    delay_us=500,
    loss=0.2,
    duplication=0.2,
    shuffle_window=5,
    partitions=1,
    clogs=1,
)


def test_a_plain_network_brings_everything_once_and_at_once() -> None:
    network = Network(plain_options(), nodes=4, lasts_us=1_000)
    assert network.carry(0, destination=1, sent_at=77) == [77]


def test_the_layers_that_are_on_are_stacked_with_the_clog_last() -> None:
    layers = stack(EVERYTHING, nodes=4, lasts_us=1_000)
    kinds = [type(layer) for layer in layers]
    assert kinds == [Delay, Loss, Duplication, Shuffle, Partition, Clog]


def test_a_healed_network_has_no_faults() -> None:
    network = Network(EVERYTHING, nodes=4, lasts_us=1_000)
    network.heal()
    assert all(network.carry(0, destination=1, sent_at=at) == [at] for at in range(200))


def test_taking_a_layer_away_leaves_the_choices_of_the_others() -> None:
    options = replace(plain_options(), loss=0.5)
    alone = Network(options, nodes=2, lasts_us=1_000)
    delayed = replace(options, delay_shape=DelayShape.UNIFORM, delay_us=500)
    together = Network(delayed, nodes=2, lasts_us=1_000)
    for _ in range(100):
        lost_alone = not alone.carry(0, destination=1, sent_at=5)
        assert lost_alone == (not together.carry(0, destination=1, sent_at=5))


def test_streams_of_different_numbers_differ_and_the_same_number_repeats() -> None:
    assert stream(3, number=1).random() != stream(3, number=2).random()
    assert stream(3, number=1).random() == stream(3, number=1).random()
