"""The interpreter's cycle collector, kept out of a batch.

A batch makes some objects for each message, and the collector begins a search after every few
hundred: it cost two thirds of the worker's time. Ordering leaves no cycles behind, so each search
is in vain. It is held back for the whole batch, and makes one search among what the batch made when
the batch's objects are gone, for whatever cycles pandas may have left.

What stays (what the worker has loaded by its first batch, the engines that it keeps) is put aside,
so that no search walks it: of ten thousand groups that would take as long as to order them. Once in
many batches it is counted, and searched if there is twice as much as the last search of it left.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

YOUNG, ALL = 1, 2
BATCHES_BETWEEN_COUNTS = 64
_batches = count(1)
_left = 0
"""how many objects were put aside after the last search of all"""


@contextmanager
def held_back() -> Iterator[None]:
    """Hold the collector back, then search once; drop the batch's objects before the end of it."""
    was_enabled = gc.isenabled()
    number = next(_batches)
    if number == 1:
        _search_all()
    gc.disable()
    try:
        yield
    finally:
        search()
        if number % BATCHES_BETWEEN_COUNTS == 0 and gc.get_freeze_count() > 2 * _left:
            _search_all()
        if was_enabled:
            gc.enable()


def _search_all() -> None:
    global _left
    gc.unfreeze()
    gc.collect(ALL)
    gc.freeze()
    _left = gc.get_freeze_count()


def search() -> None:
    """Search what was made since the last search, or put aside."""
    gc.collect(YOUNG)


def put_aside() -> None:
    """Let searches pass by all that there is now: whoever asks has searched, and left no cycles."""
    gc.freeze()
