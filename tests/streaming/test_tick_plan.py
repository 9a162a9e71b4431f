"""A partition gets a tick when what it held has been ordered, and not for nothing."""

from __future__ import annotations

from streaming.tick_plan import Ordered, TickPlan

PACE_US = 1_000


def plan() -> TickPlan:
    return TickPlan(2, pace_us=PACE_US)


def test_a_tick_waits_until_the_backlog_that_was_seen_is_ordered() -> None:
    ticks = plan()
    assert ticks.due(now=0) == [0, 1]
    ticks.look(0, start=0, end=500, ordered=Ordered())
    assert ticks.ready({0: Ordered(499)}) == []
    assert ticks.ready({0: Ordered(500)}) == [0]
    assert ticks.ready({0: Ordered(9_999)}) == [0]


def test_partitions_do_not_wait_for_each_other() -> None:
    ticks = plan()
    for partition in (0, 1):
        ticks.look(partition, start=0, end=10, ordered=Ordered())
    assert ticks.ready({1: Ordered(10)}) == [1]


def test_the_next_look_is_one_pace_after_the_last_tick() -> None:
    ticks = plan()
    ticks.look(0, start=0, end=10, ordered=Ordered())
    assert ticks.due(now=5) == [1]
    ticks.ticked(0, offset=10, now=7)
    assert 0 not in ticks.due(now=7 + PACE_US - 1)
    assert 0 in ticks.due(now=7 + PACE_US)


def test_a_partition_to_which_nothing_came_and_that_gives_nothing_up_gets_no_tick() -> None:
    ticks = plan()
    ticks.look(0, start=0, end=10, ordered=Ordered())
    ticks.ticked(0, offset=10, now=0)
    ticks.look(0, start=0, end=11, ordered=Ordered(11, deadlines=0))
    assert ticks.ready({0: Ordered(11)}) == []
    ticks.look(0, start=0, end=11, ordered=Ordered(11, deadlines=1))
    assert ticks.ready({0: Ordered(11, deadlines=1)}) == [0]
    ticks.ticked(0, offset=11, now=0)
    ticks.look(0, start=0, end=13, ordered=Ordered(12, deadlines=0))
    assert ticks.ready({0: Ordered(13)}) == [0]


def test_a_tick_that_was_not_taken_is_tried_again() -> None:
    ticks = plan()
    ticks.look(0, start=0, end=10, ordered=Ordered())
    ticks.ticked(0, offset=-1, now=0)
    ticks.look(0, start=0, end=10, ordered=Ordered(10))
    assert ticks.ready({0: Ordered(10)}) == [0]
