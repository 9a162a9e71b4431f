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
from simulation.history import Entry, History

UNORDERED_LEVELS: Final = ("simple", "reliable")
CAUSAL_LEVELS: Final = ("causal", "full")


class Past:
    """Everything that comes before the next message of one member."""

    def __init__(self) -> None:
        self.mask = 0

    def add(self, entry: Entry) -> None:
        """The member has sent or delivered this."""
        self.mask |= 1 << entry.slot | entry.requires


def required_at(
    level: str,
    message_id: MessageId,
    *,
    past: Past,
    upcoming: dict[str, int],
    history: History,
) -> Before:
    """What comes before a message in a group that delivers at this level.

    simple and reliable order nothing, continuous and continuously_reliable the sender's own
    messages, causal and full all that the sender had sent or delivered. `upcoming` has, per member,
    the next count that does not come before.
    """
    if level in UNORDERED_LEVELS:
        return Before(0, names=0, awaits=0)
    requires = history.earlier_of(message_id)
    names = history.one_before(message_id)
    if level in CAUSAL_LEVELS:
        requires |= past.mask
        for member, count in upcoming.items():
            names |= history.one_before(MessageId(MemberId(member), count))
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
