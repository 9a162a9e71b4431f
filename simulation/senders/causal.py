"""Honest senders of a causal group: they stamp what they know, as selective causal order asks.

A sender keeps, for every member it has heard of, the next count that does not come before what it
knows (`csn`): delivering a message raises its sender's entry above that message, and every other
entry to what the message itself carries. The stamps of the next message are a copy.

    delivers bob#1:3 with csn {alice#1: 2}   ->   csn {bob#1: 4, alice#1: 2}

It also says, per member, up to where it has received without a gap (`ack`): in a group that
delivers at a reliable level others wait for that word.
"""

from __future__ import annotations

from random import Random
from typing import Final

from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId
from simulation.definitions.causal import Past, required_at
from simulation.history import Entry, History
from simulation.options import GroupOptions
from simulation.senders.plain import Habits, Sender

RELIABLE: Final = ("reliable", "continuously_reliable", "full")
"""The levels at which a message waits for the word of those it is for."""

MOST_ADDRESSED: Final = 2
"""How many a message is for at a reliable level; more would seldom be heard of in a small world."""


class CausalSender(Sender):
    """The sending half of a member in a causal group."""

    def __init__(
        self,
        member: MemberId,
        *,
        group: GroupOptions,
        history: History,
        habits: Habits,
        rng: Random,
    ) -> None:
        super().__init__(member, group=group, history=history, habits=habits, rng=rng)
        self._past = Past()
        self._next: dict[str, int] = {member: 1}  # csn
        self._expected: dict[str, int] = {}  # ack: the next count that has not been received here
        self._beyond: set[tuple[str, int]] = set()  # received above a gap

    def hear(self, entry: Entry) -> None:
        """The member's engine was handed this message."""
        sender, seq = entry.message.id
        self._beyond.add((sender, seq))
        expected = self._expected.get(sender, 1)
        while (sender, expected) in self._beyond:
            self._beyond.remove((sender, expected))
            expected += 1
        self._expected[sender] = expected

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

    def _raise(self, member: str, upcoming: int) -> None:
        if upcoming > self._next.get(member, 0):
            self._next[member] = upcoming

    def make(self, *, now: int) -> Entry:
        """The member's next message."""
        message_id = self.next_id()
        self._next[self.member] = message_id.seq
        for member in self._expected:
            self._next.setdefault(member, 1)
        members = tuple(self._next)
        addressed = self._addressed()
        stamps = CausalStamps(
            members=members,
            csn=tuple(self._next.values()),
            ack=tuple(self._expected.get(member, 1) for member in members),
            dst=addressed,
        )
        message = Message(
            message_id, self.pick_parents(), self.content_of(message_id), stamps=stamps
        )
        before = required_at(
            self.group.acceptance,
            message_id,
            past=self._past,
            upcoming=self._next,
            history=self.history,
        )
        return self.history.write_down(
            message,
            requires=before.requires,
            maybe_names=before.names,
            confirms=self._confirms() if self.group.acceptance in RELIABLE else 0,
            confirmers=addressed,
            sent_at=now,
        )

    def _addressed(self) -> tuple[str, ...]:
        """Whom the message is for: some of those that were heard of."""
        others = [member for member in self._expected if member != self.member]
        if self.group.acceptance not in RELIABLE or not others:
            return ()
        picked = (others[int(self._rng.random() * len(others))] for _ in range(MOST_ADDRESSED))
        return tuple(dict.fromkeys(picked))

    def _confirms(self) -> int:
        """All that was received without a gap."""
        mask = 0
        for member, expected in self._expected.items():
            mask |= self.history.earlier_of(MessageId(MemberId(member), expected))
        return mask
