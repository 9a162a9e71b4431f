"""The collector rests while a large batch is ordered, and is left as it was found."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from ordering.undisturbed import WORTH_WHILE, Undisturbed


@pytest.fixture(autouse=True)
def _as_found() -> Iterator[None]:
    was_on = gc.isenabled()
    yield
    if was_on:
        gc.enable()
    else:
        gc.disable()


def test_the_collector_rests_during_a_large_batch_and_resumes_after_it() -> None:
    gc.enable()
    with Undisturbed(WORTH_WHILE):
        assert not gc.isenabled()
    assert gc.isenabled()


def test_a_small_batch_does_not_touch_the_collector() -> None:
    gc.enable()
    with Undisturbed(WORTH_WHILE - 1):
        assert gc.isenabled()


def test_a_collector_that_was_off_stays_off() -> None:
    gc.disable()
    with Undisturbed(WORTH_WHILE):
        assert not gc.isenabled()
    assert not gc.isenabled()


def test_the_collector_resumes_even_if_the_work_fails() -> None:
    gc.enable()
    with pytest.raises(ZeroDivisionError), Undisturbed(WORTH_WHILE):
        _ = 1 // 0
    assert gc.isenabled()
