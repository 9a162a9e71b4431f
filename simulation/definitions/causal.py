"""Causal order: everything that its sender had sent or delivered before comes before a message.

m comes before m' if the sender of m' sent m earlier, or had delivered m when it sent m', or if
something that comes before m' has m before it.

    alice sends a1.  bob delivers a1, sends b1.  carol delivers b1, sends c1.
    before b1: a1.   before c1: b1 and, through it, a1, even if carol never got a1 herself.

The world knows who had delivered what when it spoke, so it needs no vectors: a member's past is a
set that grows with everything the member sends or delivers.
"""

from __future__ import annotations

from typing import Final

from ordering.values import MemberId, MessageId
from simulation.definitions.plain import Before
from simulation.history import Entry, History, slots_in

UNORDERED_LEVELS: Final = ("simple", "reliable")
CAUSAL_LEVELS: Final = ("causal", "full")


class Past:
    """Everything that comes before the next message of one member."""

    def __init__(self) -> None:
        self.mask = 0

    def add(self, entry: Entry) -> None:
        """The member has sent or delivered this."""
        self.mask |= 1 << entry.slot | entry.requires


class Receipts:
    """What one member was handed, delivered or not, by sender and count.

    handed alice 1, 2, 4     without a gap: alice 1 and 2
    """

    def __init__(self) -> None:
        self._counts: dict[MemberId, set[int]] = {}

    def add(self, entry: Entry) -> None:
        """The member was handed this."""
        sender, seq = entry.message.id
        self._counts.setdefault(sender, set()).add(seq)

    def members(self) -> list[MemberId]:
        """Everybody of whom something came."""
        return list(self._counts)

    def upcoming(self, member: str) -> int:
        """The first count of a member that did not come."""
        counts = self._counts.get(MemberId(member), set())
        upcoming = 1
        while upcoming in counts:
            upcoming += 1
        return upcoming

    def without_gap(self, history: History) -> int:
        """The mask of each sender's messages up to the first that did not come."""
        mask = 0
        for sender in self._counts:
            mask |= history.earlier_of(MessageId(sender, self.upcoming(sender)))
        return mask


def required_at(level: str, message_id: MessageId, *, past: Past, history: History) -> Before:
    """What comes before a message in a group that delivers at this level.

    simple and reliable order nothing, continuous and continuously_reliable the sender's own
    messages, causal and full all that the sender had sent or delivered. What the message itself
    points at is the highest of each member.
    """
    if level in UNORDERED_LEVELS:
        return Before(0, names=0, awaits=0)
    requires = history.earlier_of(message_id)
    names = history.one_before(message_id)
    if level in CAUSAL_LEVELS:
        highest: dict[MemberId, int] = {}
        for slot in slots_in(past.mask):
            sender, seq = history.ids[slot]
            if sender != message_id.sender:  # of its own messages it counts those before it
                requires |= 1 << slot
                highest[sender] = max(seq, highest.get(sender, 0))
        names |= history.mask_of(tuple(MessageId(*one) for one in highest.items()))
    return Before(requires, names, awaits=requires)


def claimed_by(
    message_id: MessageId, *, claims: tuple[MessageId, ...], level: str, history: History
) -> Before:
    """What a message of a hostile sender claims: these ids and all earlier ones of their senders.

    A vector can't say "this one and not those before it".
    """
    if level in UNORDERED_LEVELS:
        return Before(0, names=0, awaits=0)
    requires = history.earlier_of(message_id)
    names = history.one_before(message_id)
    for claim in claims if level in CAUSAL_LEVELS else ():
        requires |= 1 << history.slot_of(claim) | history.earlier_of(claim)
        names |= 1 << history.slot_of(claim)
    return Before(requires, names, awaits=requires)
