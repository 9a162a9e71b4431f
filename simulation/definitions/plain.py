"""Orders that a message itself names: nothing, its sender's count, its parents, or both.

    none, total     nothing comes before it (in `total` the log's order is the order)
    fifo            all earlier messages of the same sender
    semantic        its parents
    semantic+fifo   both

Example. bob#1:2 answers alice#1:1. In `fifo` bob#1:1 comes before it, in `semantic` alice#1:1, in
`semantic+fifo` both, in `none` neither.
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ordering.values import MessageId
from simulation.history import History

BY_PARENT: Final = ("semantic", "semantic+fifo")
BY_COUNT: Final = ("fifo", "semantic+fifo")
BY_ID: Final = ("none", "fifo", "semantic", "semantic+fifo", "causal", "total")
"""Where a message waits for ids; in the others it waits for instants or for vectors to be known."""


class Before(NamedTuple):
    """What comes before a message; the words are those of `simulation.history`."""

    requires: int
    names: int
    awaits: int
    captures: int = 0


def named_by(
    message_id: MessageId,
    *,
    parents: tuple[MessageId, ...],
    discipline: str,
    history: History,
) -> Before:
    """What comes before a message that needs no stamps."""
    requires = names = 0
    if discipline in BY_PARENT:
        requires = names = history.mask_of(parents)
    if discipline in BY_COUNT:
        requires |= history.earlier_of(message_id)
        names |= history.one_before(message_id)
    return Before(requires, names, awaits=requires)
