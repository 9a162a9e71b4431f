from ordering.values import MemberId
from simulation.populations.checkers.unequal import check
from simulation.populations.node import GROUP
from tests.simulation.populations import ran


def test_a_sound_population_is_equal_whatever_happened_to_it() -> None:
    assert not list(check(ran(loss=0.3, partitions=2, crashes=2, leaves=1, messages=30)))


def test_a_member_that_lacks_what_others_have_is_found() -> None:
    population = ran()
    had = population.nodes[2].life.manager.memberships[GROUP].holdings.had
    had.popitem()
    assert any("which others have" in str(one) for one in check(population))


def test_a_member_that_received_and_did_not_deliver_is_found() -> None:
    population = ran()
    population.nodes[2].life.deliveries.pop()
    assert any("received and not delivered" in str(one) for one in check(population))


def test_what_the_recorder_does_not_know_is_found() -> None:
    population = ran()
    population.ledger.recorded.pop()
    assert any("not recorded" in str(one) for one in check(population))


def test_two_opinions_on_who_is_in_the_group_are_found() -> None:
    population = ran()
    group = population.nodes[0].life.manager.memberships[GROUP].group
    group.merge(MemberId("member1#1"), is_left=True, limit=10)
    sentences = [str(one) for one in check(population)]
    assert any("2 opinions" in one for one in sentences)
    assert any("not taken for a member" in one for one in sentences)
