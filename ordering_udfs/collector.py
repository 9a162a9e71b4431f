"""The interpreter's cycle collector, kept out of a batch.

A batch makes some objects for each message, and the collector begins a search after every few
hundred: it cost two thirds of the worker's time. Ordering leaves no cycles behind, so each search
is in vain. It is held back for the whole batch, and makes one search among what the batch made when
the batch's objects are gone, for whatever cycles pandas may have left. What outlives that search
(the engines that the worker keeps) is looked at again only once in many batches.

What the worker has loaded by its first batch (modules, code) lives as long as the worker; it is put
aside, so that no search walks it.
"""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count

YOUNG, ALL = 1, 2
BATCHES_BETWEEN_FULL_SEARCHES = 64
_batches = count(1)


@contextmanager
def held_back() -> Iterator[None]:
    """Hold the collector back, then search once; drop the batch's objects before the end of it."""
    was_enabled = gc.isenabled()
    number = next(_batches)
    if number == 1:
        gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.collect(YOUNG if number % BATCHES_BETWEEN_FULL_SEARCHES else ALL)
        if was_enabled:
            gc.enable()
