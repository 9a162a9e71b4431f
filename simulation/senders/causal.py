"""Honest senders of a causal group: they stamp what they know, as selective causal order asks.

What comes before a message is stamped by the production code (`ordering.stamping.causal`), which is
told what the member delivered. Beside it the world keeps the same as a plain set, by the definition
(`simulation.definitions.causal`); where stamps and set differ, a checker speaks.

What a member has received it acknowledges at the reliable levels, delivered or not: others wait for
that word, and who gave it only after the delivery would wait for himself. The production stamper
gives it after the delivery, so the acknowledgements are written here.

    delivers bob#1:3 with csn {alice#1: 2}     next message: csn {bob#1: 4, alice#1: 2}
"""

from __future__ import annotations

from typing import Final

from ordering.stamping.causal import CausalSender as Stamper
from ordering.stamps import CausalStamps
from ordering.values import Message
from simulation.definitions.causal import Past, Receipts, required_at
from simulation.history import Entry
from simulation.senders.plain import Seat, Sender

RELIABLE: Final = ("reliable", "continuously_reliable", "full")
"""The levels at which a message waits for the word of those it is for."""

MOST_ADDRESSED: Final = 2
"""How many a message is for at a reliable level; more would seldom be heard of in a small world."""


class CausalSender(Sender):
    """The sending half of a member in a causal group."""

    def __init__(self, seat: Seat) -> None:
        super().__init__(seat)
        self._stamper = Stamper(seat.member)
        self._past = Past()
        self._receipts = Receipts()

    def hear(self, entry: Entry) -> None:
        """The member's engine was handed this message."""
        self._receipts.add(entry)

    def note(self, entry: Entry, *, now: int) -> None:
        """The member's engine has delivered this message."""
        super().note(entry, now=now)
        self._past.add(entry)
        self._stamper.accept(entry.message)

    def make(self, *, now: int) -> Entry:
        """The member's next message."""
        addressed = self._addressed()
        message_id, stamps = self._stamper.stamp(dst=addressed)
        level = self.group.acceptance
        if level in RELIABLE:
            stamps = self._acknowledging(stamps)
        content = self.content_of(message_id)
        message = Message(message_id, self.pick_parents(), content, stamps=stamps)
        before = required_at(level, message_id, past=self._past, history=self.history)
        confirms = self._receipts.without_gap(self.history) if level in RELIABLE else 0
        return self.history.write_down(
            message,
            requires=before.requires,
            maybe_names=before.names,
            confirms=confirms,
            confirmers=addressed,
            sent_at=now,
        )

    def _acknowledging(self, stamps: CausalStamps) -> CausalStamps:
        """The same stamps, with the word about all that was received."""
        csn = dict(zip(stamps.members, stamps.csn, strict=True))
        for member in self._receipts.members():
            csn.setdefault(member, 1)
        return stamps._replace(
            members=tuple(csn),
            csn=tuple(csn.values()),
            ack=tuple(self._receipts.upcoming(member) for member in csn),
            lsn=(),
        )

    def _addressed(self) -> tuple[str, ...]:
        """Whom the message is for: some of those that were heard of."""
        others = [member for member in self._receipts.members() if member != self.member]
        if self.group.acceptance not in RELIABLE or not others:
            return ()
        picked = (others[int(self._rng.random() * len(others))] for _ in range(MOST_ADDRESSED))
        return tuple(dict.fromkeys(picked))
