"""A group's conversation as the chat knows it: who said what in answer to what, and what waits.

Deliveries come parent first, so an answer always finds what it answers, except for a newcomer that
did not want the beginning. Pure: the widgets show it, the tests drive it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Final

from console.chat.words import shown
from members.delivering import HeldMessage
from members.events import Delivered
from ordering.values import MessageId

MOST_LEVELS: Final = 12
"""Levels that are drawn below each other; deeper answers stand at the last level, with a mark."""

MOST_NAMED: Final = 3
"""Others that the status line calls by their names; more are counted."""

MOST_SPOKEN: Final = 5_000
"""Messages of a group that are kept at least; of twice as many the older half is forgotten, so that
a chat that is open for weeks, or flooded, stays small."""


@dataclass(slots=True)
class Spoken:
    """One delivered message."""

    id: MessageId
    text: str
    sent_at: int
    maybe_parent: MessageId | None
    depth: int
    is_late: bool = False


@dataclass(slots=True)
class Talk:
    """One group."""

    group: str
    description: str = ""
    is_joined: bool = False
    members: set[str] = field(default_factory=set)
    unread: int = 0
    spoken: dict[MessageId, Spoken] = field(default_factory=dict)
    is_cut: bool = False
    """whether old messages were forgotten since it was last drawn from its beginning"""
    held: tuple[HeldMessage, ...] = ()
    missing: int = 0
    """messages that exist and are being asked for"""
    state: str = ""
    """one sentence: catching up, synchronised, nobody is here"""

    def deliver(self, event: Delivered) -> Spoken:
        """Take a delivery; gives what there is to show."""
        maybe_parent = next((one for one in event.parents if one in self.spoken), None)
        depth = 0 if maybe_parent is None else self.spoken[maybe_parent].depth + 1
        spoken = Spoken(
            event.id, event.text, event.sent_at, maybe_parent, depth, is_late=bool(event.marks)
        )
        self.spoken[event.id] = spoken
        if len(self.spoken) >= 2 * MOST_SPOKEN:
            self.spoken = dict(list(self.spoken.items())[-MOST_SPOKEN:])
            self.is_cut = True
        return spoken

    def place_of(self, spoken: Spoken) -> MessageId | None:
        """Below which message it is drawn: what it answers, or an ancestor if that is too deep."""
        maybe_place = spoken.maybe_parent
        while maybe_place is not None:
            maybe_above = self.spoken.get(maybe_place)
            if maybe_above is None:
                return None  # forgotten
            if maybe_above.depth < MOST_LEVELS:
                break
            maybe_place = maybe_above.maybe_parent
        return maybe_place

    def hold(self, held: Iterable[HeldMessage]) -> bool:
        """Take what is held now; tell whether anything changed."""
        now = tuple(held)
        if now == self.held:
            return False
        self.held = now
        return True

    @property
    def line(self) -> str:
        """What the status line says."""
        parts = [self._others]
        if not self.spoken:
            parts.append("nothing was said yet")
        if self.held:
            parts.append(f"{len(self.held)} held back")
        if self.missing:
            parts.append(f"{self.missing} missing, asked for")
        if self.state:
            parts.append(self.state)
        return " · ".join(parts)

    @property
    def _others(self) -> str:
        """Who else is here: by name as long as that is short."""
        if not self.members:
            return "nobody else here"
        if len(self.members) > MOST_NAMED:
            return f"with {len(self.members)} others"
        return "with " + ", ".join(shown(name, most=20) for name in sorted(self.members))
