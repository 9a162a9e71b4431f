import pytest

from ordering.values import MemberId, MessageId
from simulation.populations.checkers.unconfirmed import check
from tests.simulation.populations import ran


@pytest.mark.parametrize("acceptance", ["reliable", "continuously_reliable", "full"])
def test_nothing_is_delivered_before_everybody_has_it(acceptance: str) -> None:
    population = ran(discipline="causal", acceptance=acceptance, loss=0.3, messages=30)
    assert not list(check(population))
    assert {len(node.life.deliveries) for node in population.nodes} == {30}


def test_what_the_world_saw_is_told() -> None:
    population = ran()
    population.unconfirmed.append(
        ("member1", MessageId(MemberId("member0#1"), 1), MemberId("member2#1"))
    )
    (found,) = check(population)
    assert "member0#1:1 is delivered and member2#1 has it not" in str(found)
