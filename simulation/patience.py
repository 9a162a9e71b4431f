"""When giving up is allowed: the world's own reckoning of how long a thing was waited for.

Used by the checkers to excuse what a give-up rule does: a message delivered without something that
it requires, or quarantined because of it. The rule, in words: *a group may give up on a missing
id when some message that requires it has been waiting for the whole of the group's patience.*

    now 10   bob#1:2 arrives, requires bob#1:1            wanted since 10
    now 25   carol#1:1 arrives, requires bob#1:1          still wanted since 10
    now 40   a tick; patience is 30                       bob#1:1 may be given up on from here

Where a sender is waited for up to a number, what was counted along goes with it.

The patience itself is counted by the `now` that the engine was given, step by step.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from ordering.values import MessageId
from simulation.history import Entry, slots_in
from simulation.ledger import Ledger
from simulation.options import GiveUp

WITHOUT_COUNTS: Final = ("none", "semantic", "total")


class Patience:
    """How long each missing id has been wanted at one endpoint."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger
        self._maybe_wanted: dict[int, int] | None = None

    def over(self, mask: int, *, step: int) -> bool:
        """Whether every id of the mask may be given up on at this step."""
        endpoint = self._ledger.endpoint
        if endpoint.options.give_up is GiveUp.HOLD:
            return False
        wanted = self._wanted()
        until_at = endpoint.steps[step].now - endpoint.options.give_up_after_us
        return all(slot in wanted and wanted[slot] <= until_at for slot in slots_in(mask))

    def any_over(self, mask: int, *, step: int) -> bool:
        """Whether some id of the mask may be given up on at this step."""
        return any(self.over(1 << slot, step=step) for slot in slots_in(mask))

    def _wanted(self) -> dict[int, int]:
        if self._maybe_wanted is None:
            self._maybe_wanted = wanted_since(self._ledger)
            if self._ledger.endpoint.options.discipline not in WITHOUT_COUNTS:
                count_along(self._maybe_wanted, ids=self._ledger.endpoint.history.ids)
        return self._maybe_wanted


def wanted_since(ledger: Ledger) -> dict[int, int]:
    """For each id that something waited for: the `now` at which that began."""
    endpoint = ledger.endpoint
    entries = endpoint.history.entries
    wanted: dict[int, int] = {}
    for number, step in enumerate(endpoint.steps):
        if step.entry_index < 0:
            continue
        entry = entries[step.entry_index]
        missing = (entry.awaits | entry.captures) & ~ledger.delivered_after[number]
        for slot in slots_in(missing):
            wanted.setdefault(slot, step.now)
    return wanted


def count_along(wanted: dict[int, int], *, ids: list[MessageId]) -> None:
    """Giving up on a sender *up to* a number gives up on all ids below it as well.

    The ids below are wanted along, even those that nobody named: a leap names one count of many.
    """
    oldest: dict[str, int] = {}
    for slot in sorted(range(len(ids)), key=lambda slot: ids[slot].seq, reverse=True):
        sender = ids[slot].sender
        since_at = [at for at in (wanted.get(slot), oldest.get(sender)) if at is not None]
        if since_at:
            wanted[slot] = oldest[sender] = min(since_at)


def ancestry(entry: Entry, *, contents: Mapping[int, Sequence[Entry]]) -> int:
    """Everything that a message hangs from: what it awaits, what those await, and so on.

    `contents` has, per slot, the entries to follow; a slot that it does not have is an end.
    """
    seen = 0
    todo = entry.awaits | entry.captures
    while todo:
        lowest = todo & -todo
        todo ^= lowest
        seen |= lowest
        for above in contents.get(lowest.bit_length() - 1, ()):
            todo |= (above.awaits | above.captures) & ~seen
    return seen
