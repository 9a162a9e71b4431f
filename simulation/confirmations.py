"""Who is known to have a message: the world's own reckoning of acknowledgements.

In a causal group that delivers at a reliable level a message also waits until everyone it is for is
known to have it. A member says so with its later messages: each carries, per member, how far the
speaker has received without a gap. The world wrote down what each message confirms (`confirms`) and
whose word a message needs (`confirmers`).

    alice#1:1 is for bob and carol
    bob#1:4 arrives here and confirms alice#1:1      carol's word is still missing
    carol#1:2 arrives here and confirms alice#1:1    alice#1:1 may be delivered
"""

from __future__ import annotations

from bisect import bisect_right
from typing import NamedTuple

from simulation.history import Entry


class Word(NamedTuple):
    """One message that confirms others: when it was handed over, and whether it was refused."""

    step: int
    entry: Entry
    is_refused: bool


class Confirmations:
    """What the messages that an endpoint was given confirm, member by member and step by step."""

    def __init__(self, words: list[Word]) -> None:
        self._heard = _by_member(words)
        self._accepted = _by_member([word for word in words if not word.is_refused])

    def could_be_known(self, entry: Entry, *, step: int) -> bool:
        """Whether everyone's word had been heard by then, if only in a message that was refused."""
        return _all_confirm(self._heard, entry, step=step)

    def must_be_known(self, entry: Entry, *, step: int) -> bool:
        """Whether everyone's word had been heard by then in messages that were accepted."""
        return _all_confirm(self._accepted, entry, step=step)


Growing = dict[str, tuple[list[int], list[int]]]
"""Per member: the steps at which it spoke, and all that it had confirmed by each."""


def _by_member(words: list[Word]) -> Growing:
    growing: Growing = {}
    for word in sorted(words, key=lambda word: word.step):
        steps, masks = growing.setdefault(word.entry.message.id.sender, ([], []))
        steps.append(word.step)
        masks.append(word.entry.confirms | (masks[-1] if masks else 0))
    return growing


def _all_confirm(growing: Growing, entry: Entry, *, step: int) -> bool:
    for member in entry.confirmers:
        steps, masks = growing.get(member, ([], []))
        spoken = bisect_right(steps, step)
        if not spoken or not masks[spoken - 1] >> entry.slot & 1:
            return False
    return True
