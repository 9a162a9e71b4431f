from dataclasses import replace

from simulation.populations.ether import Ether
from simulation.populations.options import START_AT
from tests.simulation.populations import PLAIN


def test_a_clear_ether_brings_everything_once_after_its_delay() -> None:
    ether = Ether(replace(PLAIN, loss=0.3, duplication=0.5), nodes=2, lasts_us=1_000)
    ether.clear()
    assert all(
        ether.carry(0, destination=1, sent_at=at) == [at + PLAIN.delay_us] for at in range(100)
    )


def test_a_share_is_lost_and_a_share_comes_twice() -> None:
    ether = Ether(replace(PLAIN, loss=0.3, duplication=0.5), nodes=2, lasts_us=1_000)
    counts = [len(ether.carry(0, destination=1, sent_at=at)) for at in range(4_000)]
    assert 0.25 < counts.count(0) / 4_000 < 0.35
    assert 0.3 < counts.count(2) / 4_000 < 0.4


def test_a_partition_cuts_until_it_is_still() -> None:
    ether = Ether(replace(PLAIN, partitions=2), nodes=8, lasts_us=100_000)
    ways = [(a, b, at) for a in range(8) for b in range(8) for at in range(0, 200_000, 5_000)]
    cut = [
        way
        for way in ways
        if not ether.carry(way[0], destination=way[1], sent_at=START_AT + way[2])
    ]
    assert cut
    assert all(a != b for a, b, _ in cut)
    ether.still()
    assert all(ether.carry(a, destination=b, sent_at=START_AT + at) for a, b, at in ways)
