"""Contestants: the engine and what it is compared with, each run once over the same messages.

Every contestant gets its messages freshly made, outside the clock, in the units that it works by:
the engine and the naive algorithm in batches, as a log gives them; a sort all at once. The clock
runs while the contestant works and until what it gave has been dropped again.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain
from typing import Final

from benchmarks.naive import NaiveOrder
from benchmarks.sorting import Sort
from benchmarks.timing import Run, now_ns
from ordering.engine import Engine
from ordering.policy import GroupPolicy
from ordering.values import Message

FIRST_AT: Final = 1_700_000_000_000_000
"""The log's time when a run begins: of a real size, because numbers cost bytes in a snapshot."""
BATCH_US: Final = 1_000
"""How far the log's time moves from batch to batch."""


class EngineRun:
    """One engine and the time that it has used so far."""

    def __init__(self, policy: GroupPolicy) -> None:
        self.engine = Engine(policy)
        self.now = FIRST_AT
        self.messages = 0
        self.elapsed_ns = 0

    def take(self, batches: Iterable[list[Message]]) -> None:
        """Order these batches, each in one call; the log's time moves with each."""
        engine = self.engine
        for batch in batches:
            self.now += BATCH_US
            started = now_ns()
            events = engine.receive_all(batch, now=self.now)
            del events
            self.elapsed_ns += now_ns() - started
            self.messages += len(batch)

    def result(self) -> Run:
        return Run(self.messages, self.engine.delivered_count, self.elapsed_ns)


def order_with_engine(batches: Iterable[list[Message]], *, policy: GroupPolicy) -> Run:
    """Let the engine order batches, as the job does."""
    run = EngineRun(policy)
    run.take(batches)
    return run.result()


def order_one_by_one(batches: Iterable[list[Message]], *, policy: GroupPolicy) -> Run:
    """Let the engine order single messages, as a member's own process does."""
    engine = Engine(policy)
    messages = elapsed_ns = 0
    now = FIRST_AT
    for batch in batches:
        now += BATCH_US
        started = now_ns()
        for message in batch:
            engine.receive(message, now=now)
        elapsed_ns += now_ns() - started
        messages += len(batch)
    return Run(messages, engine.delivered_count, elapsed_ns)


def order_naively(batches: Iterable[list[Message]]) -> Run:
    """Let the paper's own algorithm order batches."""
    order = NaiveOrder()
    messages = delivered = elapsed_ns = 0
    for batch in batches:
        started = now_ns()
        delivered += len(order.receive_all(batch))
        elapsed_ns += now_ns() - started
        messages += len(batch)
    return Run(messages, delivered, elapsed_ns)


def sort_at_once(batches: Iterable[list[Message]], *, sort: Sort) -> Run:
    """Let a topological sort have everything at once."""
    messages = list(chain.from_iterable(batches))
    started = now_ns()
    delivered = len(sort(messages))
    return Run(len(messages), delivered, now_ns() - started)
