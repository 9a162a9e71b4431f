"""Causal order: everything that its sender had sent or delivered before comes before a message.

m comes before m' if the sender of m' sent m earlier, or had delivered m when it sent m', or if
something that comes before m' has m before it.

    alice sends a1.  bob delivers a1, sends b1.  carol delivers b1, sends c1.
    before b1: a1.   before c1: b1 and, through it, a1, even if carol never got a1 herself.

The world knows who had delivered what when it spoke, so it needs no vectors: a member's past is a
set that grows with everything the member sends or delivers.
"""

from __future__ import annotations

from ordering.values import MessageId
from simulation.definitions.plain import Before
from simulation.history import Entry, History


class Past:
    """Everything that comes before the next message of one member."""

    def __init__(self) -> None:
        self.mask = 0

    def add(self, entry: Entry) -> None:
        """The member has sent or delivered this."""
        self.mask |= 1 << entry.slot | entry.requires


def claimed_by(message_id: MessageId, *, claims: tuple[MessageId, ...], history: History) -> Before:
    """What a message of a hostile sender claims: these ids and all earlier ones of their senders.

    A vector can't say "this one and not those before it".
    """
    requires = history.earlier_of(message_id)
    names = history.one_before(message_id)
    for claim in claims:
        requires |= 1 << history.slot_of(claim) | history.earlier_of(claim)
        names |= 1 << history.slot_of(claim)
    return Before(requires, names, awaits=requires)
