"""What the world knows about a group: every message ever made, and what must come before it.

The world writes this down while it makes the messages; no engine is asked. The checkers compare
what the engines did with it.

Words:
    slot      a number for a message id, in the order in which the world first heard of the id.
              An id that nobody ever sends (a forged parent) has a slot too: it never comes.
    entry     one made message. Two entries share a slot when a hostile sender gives one id two
              contents.
    mask      a set of slots as one whole number: bit n is slot n. Fast, and easy to print.
    requires  the mask of what must be delivered before the entry, by the definition of the
              group's order (`simulation.definitions`), named directly. What those require in
              turn is found by following.
    awaits    the mask of what it may be held for. As a rule the same; where an order is told by a
              number per sender ("everything of bob up to 9"), it has all of bob's up to there.
    names     the mask of what the message itself points at, without what is meant along with it:
              "everything of bob up to 9" names bob#1:9. Who is let go without one of these has
              to say so.
    captures  the mask of what must have been received, delivered or not, before anybody can know
              what comes before the entry.
    confirms, confirmers   see `simulation.confirmations`.

    alice#1:1  <- bob#1:1  <- alice#1:2          slots 0, 1, 2
    semantic: entry 2 requires 0b010             causal: entry 2 requires 0b011
"""

from __future__ import annotations

from typing import Final, NamedTuple

from ordering.values import MemberId, Message, MessageId
from simulation.options import Hostility

LONGEST_COUNT: Final = 10_000
"""No sender of a world counts as far as this; a higher number is a leap."""


class Entry(NamedTuple):
    """One made message and what the world knows about it."""

    number: int
    slot: int
    message: Message
    maybe_hostility: Hostility | None
    requires: int
    awaits: int
    names: int
    captures: int
    confirms: int
    confirmers: tuple[str, ...]
    sent_at: int


class History:
    """The messages of one group, in the order in which they were made."""

    def __init__(self) -> None:
        self.ids: list[MessageId] = []
        self.entries: list[Entry] = []
        self._slots: dict[MessageId, int] = {}
        self._first: dict[int, Entry] = {}
        self._earlier: dict[MemberId, list[int]] = {}

    def slot_of(self, message_id: MessageId) -> int:
        """The slot of an id, given on first mention."""
        slot = self._slots.get(message_id)
        if slot is None:
            slot = self._slots[message_id] = len(self.ids)
            self.ids.append(message_id)
        return slot

    def mask_of(self, message_ids: tuple[MessageId, ...]) -> int:
        """The set of the slots of some ids."""
        mask = 0
        for message_id in message_ids:
            mask |= 1 << self.slot_of(message_id)
        return mask

    def earlier_of(self, message_id: MessageId) -> int:
        """The mask of all ids of the same sender that count lower.

        After a leap of the counter only the id just before stands for them: nobody ever sends it.
        """
        sender, seq = message_id
        if seq > LONGEST_COUNT:
            return 1 << self.slot_of(MessageId(sender, seq - 1))
        masks = self._earlier.setdefault(sender, [0])
        while len(masks) < seq:
            masks.append(masks[-1] | 1 << self.slot_of(MessageId(sender, len(masks))))
        return masks[seq - 1]

    def one_before(self, message_id: MessageId) -> int:
        """The mask of the id that the same sender counted just before."""
        sender, seq = message_id
        return 1 << self.slot_of(MessageId(sender, seq - 1)) if seq > 1 else 0

    def write_down(
        self,
        message: Message,
        *,
        requires: int,
        sent_at: int,
        maybe_hostility: Hostility | None = None,
        maybe_awaits: int | None = None,
        maybe_names: int | None = None,
        captures: int = 0,
        confirms: int = 0,
        confirmers: tuple[str, ...] = (),
    ) -> Entry:
        """Add a made message. Its `origin` is set to its index, by which events lead back to it."""
        index = len(self.entries)
        entry = Entry(
            number=index,
            slot=self.slot_of(message.id),
            message=message._replace(origin=(index,)),
            maybe_hostility=maybe_hostility,
            requires=requires,
            awaits=requires if maybe_awaits is None else maybe_awaits,
            names=requires if maybe_names is None else maybe_names,
            captures=captures,
            confirms=confirms,
            confirmers=confirmers,
            sent_at=sent_at,
        )
        self.entries.append(entry)
        self._first.setdefault(entry.slot, entry)
        return entry

    def await_also(self, number: int, mask: int) -> None:
        """Something was made that an earlier entry may be held for as well."""
        entry = self.entries[number]
        self.entries[number] = entry._replace(awaits=entry.awaits | mask)

    def maybe_first_entry(self, slot: int) -> Entry | None:
        """The entry that was made first for a slot, if one was."""
        return self._first.get(slot)

    def entry_of(self, message: Message) -> Entry | None:
        """The entry that an engine's event speaks of, if the event carries it unchanged."""
        if not message.origin or not 0 <= message.origin[0] < len(self.entries):
            return None
        entry = self.entries[message.origin[0]]
        made = entry.message
        unchanged = (
            message.id == made.id
            and message.parents == made.parents
            and message.content == made.content
            and message.stamps == made.stamps
        )
        return entry if unchanged else None

    def name(self, slot: int) -> str:
        """An id as people write it."""
        message_id = self.ids[slot]
        return f"{message_id.sender}:{message_id.seq}"

    def names(self, mask: int) -> str:
        """The ids of a mask, for a sentence."""
        return ", ".join(self.name(slot) for slot in slots_in(mask)) or "nothing"


def slots_in(mask: int) -> list[int]:
    """The slots of a mask, lowest first."""
    slots = []
    while mask:
        lowest = mask & -mask
        slots.append(lowest.bit_length() - 1)
        mask ^= lowest
    return slots
