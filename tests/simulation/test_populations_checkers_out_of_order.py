import pytest

from ordering.values import MemberId, MessageId
from simulation.populations.checkers.out_of_order import check, required_of
from simulation.populations.ledger import Said
from tests.simulation.populations import ran

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")


def test_a_sound_population_is_in_order() -> None:
    for discipline in ("semantic", "semantic+fifo", "fifo", "causal"):
        assert not list(check(ran(discipline=discipline, loss=0.2)))


def test_each_order_requires_what_it_is_defined_by() -> None:
    said = Said(MessageId(ALICE, 2), (MessageId(BOB, 9),), b"", 0, frozenset({MessageId(BOB, 8)}))
    assert required_of(said, "semantic") == {(BOB, 9)}
    assert required_of(said, "fifo") == {(ALICE, 1)}
    assert required_of(said, "semantic+fifo") == {(BOB, 9), (ALICE, 1)}
    assert required_of(said, "causal") == {(ALICE, 1), (BOB, 8)}


@pytest.mark.parametrize("fault", ["swapped", "twice", "altered", "unsent", "misplaced"])
def test_every_fault_of_a_sequence_is_found(fault: str) -> None:
    population = ran(discipline="fifo")
    deliveries = population.nodes[1].life.deliveries
    at, first = deliveries[0]
    if fault == "swapped":
        deliveries.reverse()
    elif fault == "twice":
        deliveries.insert(1, (at, first._replace(position=2)))
    elif fault == "altered":
        deliveries[0] = (at, first._replace(payload=b"altered"))
    elif fault == "unsent":
        deliveries.insert(0, (at, first._replace(id=MessageId(ALICE, 99))))
    else:
        deliveries[0] = (at, first._replace(position=7))
    found = list(check(population))
    assert found
    assert {one.member for one in found} == {"member1"}
