"""An agent looks for garbage seldom and still finds it, and its threads take turns quickly."""

import gc
import sys
import weakref
from collections.abc import Iterator

import pytest

from ingest.interpreter import OBJECTS_BETWEEN, TURN_S, prepare_interpreter


@pytest.fixture(autouse=True)
def _as_before() -> Iterator[None]:
    before, turn_s = gc.get_threshold(), sys.getswitchinterval()
    yield
    sys.setswitchinterval(turn_s)
    gc.set_threshold(*before)
    gc.unfreeze()


class _Ring:
    """Refers to itself: only the collector lets it go."""

    def __init__(self) -> None:
        self.me = self


def test_what_is_there_is_left_alone_and_garbage_that_comes_is_still_found() -> None:
    prepare_interpreter()
    assert sys.getswitchinterval() == pytest.approx(TURN_S)
    assert gc.isenabled()
    assert gc.get_freeze_count() > 0
    ring = weakref.ref(_Ring())
    made = [[] for _ in range(OBJECTS_BETWEEN + 1_000)]  # type: list[list[int]]
    assert made
    assert ring() is None
