"""No search for cycles during a batch, one after it, and the collector is left as it was."""

from __future__ import annotations

import gc
import weakref

import pytest

from ordering_udfs.collector import BATCHES_BETWEEN_COUNTS, held_back, put_aside, search


class Thing:
    """Something that can be in a cycle."""

    itself: Thing


def cycle() -> weakref.ref[Thing]:
    thing = Thing()
    thing.itself = thing
    return weakref.ref(thing)


def batches(number: int) -> None:
    for _ in range(number):
        with held_back():
            pass


def test_a_cycle_outlives_the_batch_that_made_it_by_nothing() -> None:
    with held_back():
        assert not gc.isenabled()
        left = cycle()
        for _ in range(10_000):
            [[]]  # noqa: B018 - objects enough that a search would have begun
        assert left() is not None
    assert left() is None


def test_what_is_put_aside_is_searched_only_when_there_is_twice_as_much() -> None:
    with held_back():
        left = cycle()
        search()
        assert left() is None
        aside = cycle()
        put_aside()
        search()
    batches(BATCHES_BETWEEN_COUNTS)
    assert aside() is not None
    many: list[list[int]] = [[] for _ in range(2 * gc.get_freeze_count())]
    put_aside()
    batches(BATCHES_BETWEEN_COUNTS)
    assert aside() is None
    assert many


def test_what_is_put_aside_goes_when_nobody_has_it_any_more() -> None:
    with held_back():
        thing = Thing()
        left = weakref.ref(thing)
        put_aside()
        del thing
        assert left() is None


@pytest.mark.parametrize("is_on", [True, False])
def test_the_collector_is_left_as_it_was_whatever_happens(is_on: bool) -> None:
    was_on = gc.isenabled()
    (gc.enable if is_on else gc.disable)()
    try:
        with pytest.raises(KeyError), held_back():
            raise KeyError
        assert gc.isenabled() is is_on
    finally:
        (gc.enable if was_on else gc.disable)()
