"""What a hostile sender writes into a message so that it claims to come after certain ids.

`simulation.hostile` speaks of parents; what that becomes depends on the discipline of the group:
the parents themselves, a causal vector, instants, or an object vector. With it goes what the
message then requires by the definition of the order: what it claims, as far as anyone can tell.
"""

from __future__ import annotations

from typing import Final

from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps
from ordering.values import MessageId
from simulation.definitions import causal, objects, plain
from simulation.definitions.plain import Before
from simulation.history import History
from simulation.options import GroupOptions
from simulation.policies import CONFLICTS

FUTURE_US: Final = 100_000
"""How far ahead lies an instant that a hostile sender makes up."""

NEVER: Final = 1 << 61
"""A count that no sender reaches: stands for whatever may yet turn up under a made-up claim."""

UNHEARD_OF: Final = (1 << 40, 0)
"""An object id that no honest object reaches."""


def claim(
    message_id: MessageId,
    *,
    parents: tuple[MessageId, ...],
    group: GroupOptions,
    history: History,
    now: int,
) -> tuple[Stamps | None, Before]:
    """The stamps that claim this, and what comes before by them."""
    discipline = group.discipline
    if discipline == "causal":
        stamps = causal_stamps(message_id, claims=parents)
        return stamps, causal.claimed_by(
            message_id, claims=parents, level=group.acceptance, history=history
        )
    if discipline == "significant":
        return significant_claim(message_id, claims=parents, history=history, now=now)
    if discipline == "objects":
        return objects_claim(message_id, claims=parents, history=history)
    return None, plain.named_by(message_id, parents=parents, discipline=discipline, history=history)


def causal_stamps(message_id: MessageId, *, claims: tuple[MessageId, ...]) -> CausalStamps:
    """A vector that puts the message after these ids, and after its sender's earlier ones.

    It is for its sender alone, so that it waits for nobody's word.
    """
    upcoming: dict[str, int] = {message_id.sender: message_id.seq}
    for one in claims:
        upcoming[one.sender] = max(upcoming.get(one.sender, 1), one.seq + 1)
    return CausalStamps(
        members=tuple(upcoming), csn=tuple(upcoming.values()), dst=(message_id.sender,)
    )


def significant_claim(
    message_id: MessageId, *, claims: tuple[MessageId, ...], history: History, now: int
) -> tuple[SignificantStamps, Before]:
    """Instants that put the message after these ids; made up for what nobody has sent.

    Of a made-up instant nobody can say beforehand which messages lie before it: the message may be
    held for it, and comes after nothing in particular. The same goes for the instants of another
    hostile sender: "everything up to 20" means something only if a sender's instants rise with its
    counts, and a hostile one may stamp 20 twice.
    """
    requires = awaits = 0
    instants: dict[str, int] = {}
    for one in claims:
        slot = history.slot_of(one)
        maybe_made = history.maybe_first_entry(slot)
        sent_at = now + FUTURE_US if maybe_made is None else maybe_made.sent_at
        instants[one.sender] = max(sent_at, instants.get(one.sender, 0))
        if maybe_made is None or maybe_made.maybe_hostility is not None:
            awaits |= 1 << history.slot_of(MessageId(one.sender, NEVER))
        else:
            requires |= 1 << slot
        if maybe_made is not None:
            awaits |= 1 << slot | history.earlier_of(one)
    own = instants.pop(message_id.sender, 0)
    stamps = SignificantStamps(
        sent_at=now,
        members=tuple(instants),
        preceding=tuple(instants.values()),
        own_preceding=own,
    )
    return stamps, Before(requires, names=0, awaits=awaits)


def objects_claim(
    message_id: MessageId, *, claims: tuple[MessageId, ...], history: History
) -> tuple[ObjectStamps, Before]:
    """An object vector that counts these ids; its own object's entry is what it is.

    It may be held for anything of theirs: what turns up later under the claimed ids counts too.
    """
    known: dict[str, tuple[int, int, int]] = {}
    captures = history.earlier_of(message_id)
    later = 0
    for one in claims:
        if one.sender == message_id.sender:
            continue
        maybe_made = history.maybe_first_entry(history.slot_of(one))
        stamps = None if maybe_made is None else maybe_made.message.stamps
        highest = UNHEARD_OF
        if isinstance(stamps, ObjectStamps):
            highest = (stamps.cid, stamps.iseq)
        known[one.sender] = max((*highest, one.seq), known.get(one.sender, (0, 0, 0)))
        captures |= 1 << history.slot_of(one) | history.earlier_of(one)
        later |= 1 << history.slot_of(MessageId(one.sender, NEVER))
    claimed = ObjectStamps(
        cid=0,
        iseq=message_id.seq,
        operation="write",
        members=tuple(known),
        vector=tuple(known.values()),
    )
    surely, perhaps = objects.preceding(
        message_id.sender, stamps=claimed, history=history, conflicts=CONFLICTS
    )
    before = Before(surely & captures, names=0, awaits=surely | perhaps | later, captures=captures)
    return claimed, before


def wide_stamps(discipline: str, *, width: int) -> Stamps | None:
    """A vector with more entries than a group may have members; None where there are no vectors."""
    members = tuple(f"sybil-{number}#1" for number in range(width))
    if discipline == "causal":
        return CausalStamps(members=members, csn=(1,) * width)
    if discipline == "significant":
        return SignificantStamps(sent_at=1, members=members, preceding=(1,) * width)
    if discipline == "objects":
        return ObjectStamps(cid=0, iseq=1, members=members, vector=((0, 1, 1),) * width)
    return None
