"""A stretch of work during which the interpreter does not look for cycles.

Ordering makes a few objects for each message, and the interpreter's cycle collector begins after
every few hundred. The engine leaves no cycles behind, so each of those searches is in vain; in a
large batch they cost a quarter of the time. The collector resumes as soon as the stretch is over.

    with Undisturbed(len(messages)):
        ...                             # the last thing that the call does

It should be the last thing: a search that is overdue begins with the next object that is made, and
by then the caller may have let go of most of what the batch made.
"""

import gc
from typing import Final

WORTH_WHILE: Final = 512
"""Messages from which on a search would begin within the stretch anyway."""


class Undisturbed:
    """Holds the collector back while this many messages are ordered, if it was on at all.

    A class and not a generator, because ending a generator makes an object, and so would begin the
    very search that is to wait for the caller.
    """

    __slots__ = ("_holds_back",)

    def __init__(self, messages: int) -> None:
        self._holds_back = messages >= WORTH_WHILE and gc.isenabled()

    def __enter__(self) -> None:
        if self._holds_back:
            gc.disable()

    def __exit__(self, *_failure: object) -> None:
        if self._holds_back:
            gc.enable()
