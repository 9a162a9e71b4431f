import pytest

from simulation.populations.checkers.newcomer import check
from simulation.populations.options import Newcomer
from tests.simulation.populations import ran

PATIENT = {"messages": 40, "loss": 0.2, "interval_us": 60_000}


@pytest.mark.parametrize("kind", Newcomer)
def test_a_newcomer_gets_what_it_was_promised(kind: Newcomer) -> None:
    assert not list(check(ran(newcomers=(kind,), **PATIENT)))


@pytest.mark.parametrize("kind", [Newcomer.NOW, Newcomer.LAST, Newcomer.THREAD])
def test_a_newcomer_that_got_nothing_is_found(kind: Newcomer) -> None:
    population = ran(newcomers=(kind,) * 3, **PATIENT)
    for node in population.nodes[-3:]:
        node.life.deliveries.clear()
    assert list(check(population))
