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
from simulation.definitions.plain import named_by
from simulation.history import Entry, History
from simulation.options import GroupOptions, Options

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


class Seat(NamedTuple):
    """Where a sender sits: who it is, in which group, what is written down there, how it picks."""

    member: MemberId
    group: GroupOptions
    history: History
    habits: Habits
    rng: Random


class Sender:
    """The sender for every discipline that needs no stamps."""

    def __init__(self, seat: Seat) -> None:
        self.member = seat.member
        self.group = seat.group
        self.history = seat.history
        self.delivered: list[Entry] = []
        self._habits = seat.habits
        self._rng = seat.rng
        self._seq = 0

    def hear(self, entry: Entry) -> None:
        """The member's engine was handed this message."""

    def note(self, entry: Entry, *, now: int) -> None:
        """The member's engine has delivered this message, at this time of its clock."""
        del now
        self.delivered.append(entry)

    def make(self, *, now: int) -> Entry:
        """The member's next message."""
        message_id = self.next_id()
        parents = self.pick_parents()
        before = named_by(
            message_id, parents=parents, discipline=self.group.discipline, history=self.history
        )
        message = Message(message_id, parents, self.content_of(message_id))
        return self.history.write_down(
            message, requires=before.requires, maybe_names=before.names, sent_at=now
        )

    def next_id(self) -> MessageId:
        """Count one more message."""
        self._seq += 1
        return MessageId(self.member, self._seq)

    def content_of(self, message_id: MessageId) -> bytes:
        """A content of its own for each message."""
        return b"%s:%d" % (self.member.encode(), message_id.seq)

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
