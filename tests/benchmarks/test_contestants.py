"""Laws of the contestants: whatever they are, they deliver everything."""

from __future__ import annotations

import pytest

from benchmarks.arrivals import conversation
from benchmarks.contestants import (
    BATCH_US,
    FIRST_AT,
    EngineRun,
    order_naively,
    order_one_by_one,
    order_with_engine,
    sort_at_once,
)
from benchmarks.decoding import batches
from benchmarks.sorting import by_graphlib
from benchmarks.timing import Contestant
from ordering.policy import GroupPolicy

ARRIVALS = list(conversation(3_000, jitter=100))
POLICY = GroupPolicy()


@pytest.mark.parametrize(
    "contestant",
    [
        lambda: order_with_engine(batches(ARRIVALS), policy=POLICY),
        lambda: order_one_by_one(batches(ARRIVALS), policy=POLICY),
        lambda: order_naively(batches(ARRIVALS)),
        lambda: sort_at_once(batches(ARRIVALS), sort=by_graphlib),
    ],
    ids=["engine", "one by one", "naive", "sort"],
)
def test_a_contestant_delivers_all_that_it_gets(contestant: Contestant) -> None:
    run = contestant()
    assert run.messages == run.delivered == len(ARRIVALS)
    assert run.elapsed_ns > 0


def test_time_used_adds_up_over_batches_and_the_logs_time_moves_with_each() -> None:
    run = EngineRun(POLICY)
    run.take(batches(ARRIVALS[:2_000]))
    first_ns = run.elapsed_ns
    run.take(batches(ARRIVALS[2_000:]))
    assert run.elapsed_ns > first_ns > 0
    assert run.now == FIRST_AT + 3 * BATCH_US
