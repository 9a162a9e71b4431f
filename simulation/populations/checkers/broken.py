"""What a checker says when a promise of a population was broken."""

from __future__ import annotations

from typing import NamedTuple

from ordering.values import MessageId


class Broken(NamedTuple):
    """One broken promise: which, at which member, and why, in a sentence."""

    checker: str
    member: str
    sentence: str

    def __str__(self) -> str:
        return f"{self.checker}: {self.sentence} ({self.member})"


def name_of(message_id: MessageId) -> str:
    """Write an id as people read it."""
    return f"{message_id.sender}:{message_id.seq}"


def names_of(ids: set[MessageId] | frozenset[MessageId]) -> str:
    """Write a few ids of many."""
    shown = ", ".join(name_of(one) for one in sorted(ids)[:5])
    return f"{shown} and {len(ids) - 5} more" if len(ids) > 5 else shown
