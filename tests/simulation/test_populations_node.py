from ordering.policy import GroupPolicy
from simulation.populations.node import Node
from simulation.populations.options import SECOND, START_AT, Newcomer


def test_each_life_is_a_new_incarnation_that_knows_nothing() -> None:
    node = Node(0, seed=1)
    for expected in (1, 2):
        node.start(newcomer=Newcomer.ALL, is_amnesiac=False, now=START_AT)
        node.create(GroupPolicy(), now=START_AT)
        assert node.pid == f"member0#{expected}"
        assert node.life.delivered == []
    assert len(node.lives) == 2


def test_who_has_forgotten_its_incarnation_takes_a_later_one_from_the_clock() -> None:
    node = Node(0, seed=1)
    node.start(newcomer=Newcomer.ALL, is_amnesiac=False, now=START_AT)
    node.start(newcomer=Newcomer.ALL, is_amnesiac=True, now=START_AT + 5 * SECOND)
    assert node.incarnation > 1_000


def test_a_newcomer_joins_as_what_it_is() -> None:
    for newcomer in Newcomer:
        node = Node(0, seed=1)
        node.start(newcomer=newcomer, is_amnesiac=False, now=START_AT)
        assert len(node.join(GroupPolicy(), root=None, now=START_AT).datagrams) == 2
        assert node.life.is_member
