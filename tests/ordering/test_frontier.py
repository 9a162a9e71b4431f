"""Laws of frontiers: reaching a value frees all who wait for it or for less, and nobody else."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from ordering.frontier import Frontier, key_for, key_of
from ordering.member import SEQ, Node
from ordering.requirement import Measure, UpTo
from ordering.values import MemberId
from tests.ordering.memories import FAR
from tests.ordering.untimed import untimed

KEY = key_for("alice#1", Measure.CAPTURED)
PIDS = st.text(alphabet="a1:#\0", max_size=4)


def waiting_for(frontier: Frontier, value: int) -> None:
    """Let somebody wait for a value, as the engine does."""
    node: Node = [0, None, frontier, value, None, None, None]
    frontier.nodes[value] = node
    frontier.expect(value)


@untimed
@given(st.sets(st.integers(1, 50)), st.lists(st.integers(0, 60)))
def test_each_value_is_freed_once_by_the_first_reach_that_passes_it(
    values: set[int], reaches: list[int]
) -> None:
    frontier = Frontier(KEY)
    for value in values:
        waiting_for(frontier, value)
    for reached in reaches:
        freed = [node[SEQ] for node in frontier.reach(reached)]
        assert freed == sorted(value for value in values if value <= reached)
        values -= set(freed)
        assert set(frontier.nodes) == values


def test_nobody_waits_at_a_fresh_frontier() -> None:
    assert Frontier(KEY).reach(FAR) == []


def test_whoever_was_taken_away_is_passed_over() -> None:
    frontier = Frontier(KEY)
    for value in (3, 5):
        waiting_for(frontier, value)
    del frontier.nodes[3]
    assert [node[SEQ] for node in frontier.reach(FAR)] == [5]


def test_whoever_waits_again_for_a_value_is_freed_again() -> None:
    frontier = Frontier(KEY)
    for _ in range(2):
        waiting_for(frontier, FAR)
        assert frontier.reach(FAR - 1) == []
        assert len(frontier.reach(FAR)) == 1


@untimed
@given(PIDS, PIDS, PIDS, st.none() | PIDS)
def test_no_two_requirements_that_differ_share_a_frontier(
    sender: str, by: str, other_sender: str, other_by: str | None
) -> None:
    one = key_for(sender, Measure.ACKNOWLEDGED, by=by)
    two = key_for(other_sender, Measure.ACKNOWLEDGED, by=other_by)
    assert (one == two) == ((sender, by) == (other_sender, other_by))


def test_a_frontier_knows_its_measure_and_the_seq_is_no_part_of_its_name() -> None:
    for measure in Measure:
        low, high = (UpTo(MemberId("a\0b#1"), seq, measure) for seq in (1, FAR))
        assert key_of(low) == key_of(high)
        assert Frontier(key_of(low)).measure is measure
