from simulation.populations.node import GROUP
from simulation.populations.options import Newcomer
from tests.simulation.populations import ran


def test_a_plain_population_delivers_everything_everywhere_and_repeats_nothing() -> None:
    population = ran()
    assert [len(node.life.deliveries) for node in population.nodes] == [12, 12, 12]
    assert population.came_by_answer == 0


def test_a_lossy_one_delivers_everything_too() -> None:
    population = ran(loss=0.3, jitter_us=20_000)
    assert {len(node.life.deliveries) for node in population.nodes} == {12}
    assert population.came_by_answer > 0


def test_who_crashes_comes_back_as_another_incarnation_with_a_life_of_its_own() -> None:
    population = ran(crashes=1, messages=30)
    lives = [len(node.lives) for node in population.nodes]
    assert sorted(lives) == [1, 1, 2]
    returned = population.nodes[lives.index(2)]
    assert returned.pid.endswith("#2")


def test_who_leaves_comes_back_under_its_next_incarnation_in_the_same_life() -> None:
    population = ran(leaves=1, messages=30)
    assert all(len(node.lives) == 1 for node in population.nodes)
    assert sorted(node.incarnation for node in population.nodes) == [1, 1, 2]


def test_newcomers_come_and_a_flood_passes() -> None:
    population = ran(newcomers=tuple(Newcomer), flood=60)
    assert len(population.nodes) == 7
    assert len(population.living()) == 7
    assert len(population.ledger.said) == 72


def test_strangers_are_heard_and_change_nothing() -> None:
    loud = ran(hostile=30)
    assert {frozenset(node.life.delivered) for node in loud.nodes} == {frozenset(loud.ledger.said)}
    assert sum(sum(node.life.manager.refused.values()) for node in loud.nodes) >= 30
    assert GROUP in loud.nodes[0].life.manager.memberships


def test_the_same_options_give_the_same_world() -> None:
    one, other = ran(loss=0.2, partitions=1), ran(loss=0.2, partitions=1)
    assert one.ledger.datagrams == other.ledger.datagrams
    assert [n.life.delivered for n in one.nodes] == [n.life.delivered for n in other.nodes]
