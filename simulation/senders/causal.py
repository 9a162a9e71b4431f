"""Honest senders of a causal group: they stamp what they know, as selective causal order asks.

A sender keeps, for every member it has heard of, the next count that does not come before what it
knows (`csn`): delivering a message raises its sender's entry above that message, and every other
entry to what the message itself carries. The stamps of the next message are a copy.

    delivers bob#1:3 with csn {alice#1: 2}   ->   csn {bob#1: 4, alice#1: 2}
"""

from __future__ import annotations

from random import Random

from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.causal import Past
from simulation.history import Entry, History
from simulation.senders.plain import Habits, Sender


class CausalSender(Sender):
    """The sending half of a member in a causal group."""

    def __init__(
        self, member: MemberId, *, discipline: str, history: History, habits: Habits, rng: Random
    ) -> None:
        super().__init__(member, discipline=discipline, history=history, habits=habits, rng=rng)
        self._past = Past()
        self._next: dict[str, int] = {member: 1}  # csn
        self._expected: dict[str, int] = {}  # ack: the next count that has not been delivered here
        self._beyond: set[tuple[str, int]] = set()  # delivered above a gap

    def note(self, entry: Entry) -> None:
        """The member's engine has delivered this message."""
        super().note(entry)
        self._past.add(entry)
        sender, seq = entry.message.id
        self._raise(sender, seq + 1)
        stamps = entry.message.stamps
        if isinstance(stamps, CausalStamps):
            for member, upcoming in zip(stamps.members, stamps.csn, strict=False):
                self._raise(member, upcoming)
        self._beyond.add((sender, seq))
        expected = self._expected.get(sender, 1)
        while (sender, expected) in self._beyond:
            self._beyond.remove((sender, expected))
            expected += 1
        self._expected[sender] = expected

    def _raise(self, member: str, upcoming: int) -> None:
        if upcoming > self._next.get(member, 0):
            self._next[member] = upcoming

    def make(self, *, now: int) -> Entry:
        """The member's next message."""
        message_id = self.next_id()
        self._next[self.member] = message_id.seq
        members = tuple(self._next)
        stamps = CausalStamps(
            members=members,
            csn=tuple(self._next.values()),
            ack=tuple(self._expected.get(member, 1) for member in members),
        )
        message = Message(
            message_id, self.pick_parents(), self.content_of(message_id), stamps=stamps
        )
        requires = self._past.mask | self.history.earlier_of(message_id)
        names = self.history.mask_of(
            tuple(
                MessageId(MemberId(member), upcoming - 1)
                for member, upcoming in self._next.items()
                if upcoming > 1
            )
        )
        return self.history.write_down(message, requires=requires, maybe_names=names, sent_at=now)
