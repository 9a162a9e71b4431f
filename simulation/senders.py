"""The sending half of an honest member in one group: picks what to answer, counts, stamps.

A sender knows what its own member has delivered (the world tells it, delivery by delivery) and
answers nothing else. `make` is called by `simulation.world` whenever the member speaks.

The message that comes out is right by construction: its parents were delivered here, its counter is
the next one, its stamps say what the paper of its discipline asks for. What must come before it,
by definition, is written down beside it (`simulation.definitions`).
"""

from __future__ import annotations

from random import Random
from typing import Final, NamedTuple

from ordering.values import MemberId, Message, MessageId
from simulation.history import Entry, History
from simulation.options import Options

MOST_PARENTS: Final = 4
"""A merge joins up to this many earlier messages; merges of real histories have two or three."""


class Habits(NamedTuple):
    """How a sender picks what to answer; the shares of `Options`."""

    answer_share: float
    merge_share: float
    hasty_share: float

    @classmethod
    def of(cls, options: Options) -> Habits:
        """The habits that a world's options ask for."""
        return cls(options.answer_share, options.merge_share, options.hasty_share)


class Sender:
    """The sender for every discipline that needs no stamps."""

    def __init__(
        self, member: MemberId, *, discipline: str, history: History, habits: Habits, rng: Random
    ) -> None:
        self.member = member
        self.discipline = discipline
        self.history = history
        self.delivered: list[Entry] = []
        self._habits = habits
        self._rng = rng
        self._seq = 0

    def note(self, entry: Entry) -> None:
        """The member's engine has delivered this message."""
        self.delivered.append(entry)

    def make(self, *, now: int) -> Entry:
        """The member's next message."""
        self._seq += 1
        message = Message(
            id=MessageId(self.member, self._seq),
            parents=self.pick_parents(),
            content=b"%s:%d" % (self.member.encode(), self._seq),
        )
        return self.history.write_down(message, requires=self.requires(message), sent_at=now)

    def requires(self, message: Message) -> int:
        """What must come before it, by the definition of the group's order."""
        return named_by(message, discipline=self.discipline, history=self.history)

    def pick_parents(self) -> tuple[MessageId, ...]:
        """What to answer: nothing, something delivered here, or several such things."""
        draw = self._rng.random
        delivered = self.delivered
        if not delivered or draw() >= self._habits.answer_share:
            return ()
        if draw() < self._habits.hasty_share:
            first = delivered[-1].message.id
        else:
            first = delivered[int(draw() * len(delivered))].message.id
        if draw() >= self._habits.merge_share:
            return (first,)
        parents = [first]
        for _ in range(1 + int(draw() * (MOST_PARENTS - 1))):
            other = delivered[int(draw() * len(delivered))].message.id
            if other not in parents:
                parents.append(other)
        return tuple(parents)


def named_by(message: Message, *, discipline: str, history: History) -> int:
    """What a message itself names as coming before it, where no stamps are needed.

    none, total     nothing
    fifo            all earlier messages of the same sender
    semantic        its parents
    semantic+fifo   both
    """
    mask = 0
    if discipline in ("semantic", "semantic+fifo"):
        mask |= history.mask_of(message.parents)
    if discipline in ("fifo", "semantic+fifo"):
        mask |= history.earlier_of(message.id)
    return mask
