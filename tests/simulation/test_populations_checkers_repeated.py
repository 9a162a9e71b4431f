from ordering.values import MemberId, MessageId
from simulation.populations.checkers.repeated import check
from tests.simulation.populations import ran

ALICE, BOB = MemberId("alice#1"), MemberId("bob#1")


def test_a_lossy_population_repeats_no_more_than_it_may() -> None:
    assert not list(check(ran(loss=0.3, messages=40, members=6)))


def test_the_same_message_twice_in_one_answer_is_found() -> None:
    population = ran()
    population.ledger.answers[(ALICE, BOB, 1, MessageId(ALICE, 1))] = 2
    (found,) = check(population)
    assert "2 times for request 1" in str(found)


def test_too_many_copies_in_all_are_found() -> None:
    population = ran()
    population.ledger.repeats[MessageId(ALICE, 1)] = 1_000
    (found,) = check(population)
    assert "1000 copies" in str(found)
