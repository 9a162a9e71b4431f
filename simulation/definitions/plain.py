"""Orders that a message itself names: nothing, its sender's count, its parents, or both.

    none, total     nothing comes before it (in `total` the log's order is the order)
    fifo            all earlier messages of the same sender
    semantic        its parents
    semantic+fifo   both

Example. bob#1:2 answers alice#1:1. In `fifo` bob#1:1 comes before it, in `semantic` alice#1:1, in
`semantic+fifo` both, in `none` neither.
"""

from __future__ import annotations

from typing import Final

from ordering.values import MessageId
from simulation.history import History

BY_PARENT: Final = ("semantic", "semantic+fifo")
BY_COUNT: Final = ("fifo", "semantic+fifo")


def named_by(
    message_id: MessageId,
    *,
    parents: tuple[MessageId, ...],
    discipline: str,
    history: History,
) -> int:
    """The mask of what comes before a message that needs no stamps."""
    mask = 0
    if discipline in BY_PARENT:
        mask |= history.mask_of(parents)
    if discipline in BY_COUNT:
        mask |= history.earlier_of(message_id)
    return mask
