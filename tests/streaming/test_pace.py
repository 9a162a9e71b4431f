"""Batches that last as long as they shall, whatever a message costs."""

from __future__ import annotations

import pytest

from streaming.pace import LEAST, Pace

MOST = 500_000


class Played:
    """A pace and a clock; a batch lasts as its messages and its own cost ask for."""

    def __init__(self, *, most: int = MOST, interval: float = 0.2, own_cost: float = 0.15) -> None:
        self.pace = Pace(most=most, seconds=2, interval=interval)
        self.interval, self.own_cost = interval, own_cost
        self.now = 0.0

    def batch(self, *, each: float, waiting: float = float("inf")) -> float:
        """How long the next batch lasts, each of whose messages takes so many seconds."""
        messages = min(self.pace.bound, waiting)
        lasted = max(self.interval, self.own_cost + messages * each)
        self.pace.begin(messages, at=self.now)
        self.now += lasted
        self.pace.end(at=self.now)
        return lasted


def test_cheap_messages_come_to_the_most_in_a_few_batches() -> None:
    played = Played()
    bounds = []
    for _ in range(4):
        bounds.append(played.pace.bound)
        played.batch(each=2e-6)
    assert bounds == [MOST // 4, MOST // 2, MOST, MOST]


@pytest.mark.parametrize("each", [1e-5, 2.5e-5, 6e-5])
def test_after_one_batch_that_lasts_long_the_others_last_as_they_shall(each: float) -> None:
    played = Played()
    for _ in range(4):
        played.batch(each=2e-6)
    lasted = [played.batch(each=each) for _ in range(20)]
    assert lasted[0] > 4
    assert max(lasted[1:]) < 2.2
    assert min(lasted[1:]) > 1.2


def test_a_start_into_a_flood_is_careful() -> None:
    played = Played()
    lasted = [played.batch(each=6e-5) for _ in range(5)]
    assert lasted[0] < 8
    assert max(lasted[1:]) < 2.2


def test_when_messages_are_cheap_again_batches_grow_again() -> None:
    played = Played()
    for _ in range(10):
        played.batch(each=6e-5)
    assert played.pace.bound < MOST / 10
    for _ in range(10):
        played.batch(each=2e-6)
    assert played.pace.bound == MOST


def test_never_fewer_than_the_least_and_never_more_than_the_most() -> None:
    played = Played()
    played.batch(each=1.0)
    assert played.pace.bound == LEAST
    small = Played(most=7)
    assert small.pace.bound == 7
    small.batch(each=10.0)
    assert small.pace.bound == 7


@pytest.mark.parametrize(("interval", "own_cost"), [(60.0, 0.15), (0.2, 5.0)])
def test_what_a_batch_costs_by_itself_is_not_blamed_on_its_messages(
    interval: float, own_cost: float
) -> None:
    played = Played(interval=interval, own_cost=own_cost)
    for _ in range(20):
        played.batch(each=2e-6)
    assert played.pace.bound == MOST


def test_a_time_without_news_says_nothing() -> None:
    played = Played()
    before = played.pace.bound
    for _ in range(3):
        played.pace.begin(0, at=played.now)
        played.now += 1_000
        played.pace.end(at=played.now)
    played.batch(each=1e-3, waiting=50)
    assert played.pace.bound == before
