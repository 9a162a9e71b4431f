"""Engines that take every message in the careful way, to hold the fast ways against."""

from __future__ import annotations

from itertools import groupby
from unittest.mock import patch

from ordering.disciplines.discipline import Discipline
from ordering.disciplines.registry import choose
from ordering.engine import Engine
from ordering.events import Event
from ordering.policy import GroupPolicy
from ordering.receiving import Way, receive_carefully
from tests.ordering.histories import History
from tests.ordering.messages import PATIENCE_US


def _choose_carefully(policy: GroupPolicy) -> tuple[Discipline, Way]:
    return choose(policy)[0], receive_carefully


def careful_engine(policy: GroupPolicy) -> Engine:
    """Make an engine without a fast way in."""
    with patch("ordering.engine.choose", _choose_carefully):
        return Engine(policy)


def fates(engine: Engine, history: History) -> list[list[Event]]:
    """Give the events of each instant of a history, and of the end of all patience."""
    told = [
        engine.receive_all((message for message, _ in batch), now=now)
        for now, batch in groupby(history, key=lambda step: step[1])
    ]
    end = history[-1][1] if history else 0
    return [*told, engine.advance(end + 10 * PATIENCE_US)]


def must_agree(policy: GroupPolicy, history: History) -> None:
    """Compare an engine of this policy with a careful one."""
    fast, careful = Engine(policy), careful_engine(policy)
    assert fates(fast, history) == fates(careful, history)
    assert fast.missing() == careful.missing()
    assert (fast.delivered_count, fast.held_count) == (careful.delivered_count, careful.held_count)
