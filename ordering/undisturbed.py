"""A stretch of work during which the interpreter does not look for cycles.

Ordering makes a few objects for each message, and the interpreter's cycle collector begins after
every few hundred. The engine leaves no cycles behind, so each of those searches is in vain; in a
large batch they cost a quarter of the time. The collector resumes as soon as the stretch is over.
"""

import gc
from collections.abc import Iterator
from contextlib import contextmanager

WORTH_WHILE = 512
"""Messages from which on a search would begin within the stretch anyway."""


@contextmanager
def undisturbed(messages: int) -> Iterator[None]:
    """Hold the collector back while this many messages are ordered, if it was on at all."""
    if messages < WORTH_WHILE or not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
