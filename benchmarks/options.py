"""How much a run of the engine's benchmark measures."""

from __future__ import annotations

from typing import NamedTuple


class Options(NamedTuple):
    """The defaults take less than a minute on a quiet machine."""

    messages: int = 50_000
    """in one run of a contestant"""
    naive_messages: int = 10_000
    """the naive algorithm takes so long for each message that fewer say as much"""
    repeats: int = 5
    """how often each contestant runs; its best run counts"""
    largest: int = 1_000_000
    """the largest group whose cost per message is measured, a power of ten"""
    groups: int = 500
    """how many groups share a batch where each has few messages in it"""
    chain: int = 100_000
    """messages of the chain that arrives with its end first"""
    idle_messages: int = 1_000_000
    """what an idle group has delivered before it falls silent"""
