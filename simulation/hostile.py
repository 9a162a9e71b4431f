"""Senders that try to break the engine, each way by its own function.

A hostile sender is a node of the network like any other, under its own member id: it can't forge
another's id (the edge authenticates senders), but it may put into its own messages what it likes.

Each function returns the attacks of one moment: made entries and, for each, whether only every
other node hears it. What the definition of the order requires of a hostile message is what the
message itself claims.
"""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from random import Random
from typing import Final, NamedTuple

from ordering.policy import Limits
from ordering.values import MemberId, Message, MessageId
from simulation.claims import claim, wide_stamps
from simulation.history import Entry, History
from simulation.options import GroupOptions, Hostility

LEAP: Final = 1 << 60
"""How far a jumping counter leaps."""

LONGEST_CYCLE: Final = 5

FLOOD_ABOVE_ROOM: Final = 12
"""How many more messages a flood has than its sender has room for."""


class HeardBy(Enum):
    """To which nodes a hostile sender sends."""

    ALL = "all"
    EVEN = "even"
    ODD = "odd"

    def includes(self, node: int) -> bool:
        """Whether it sends to this node."""
        return self is HeardBy.ALL or (node % 2 == 0) is (self is HeardBy.EVEN)


class Attack(NamedTuple):
    """One hostile message on its way."""

    entry: Entry
    heard_by: HeardBy = HeardBy.ALL


class HostileSender:
    """One hostile member in one group."""

    def __init__(
        self,
        member: MemberId,
        *,
        group: GroupOptions,
        history: History,
        limits: Limits,
        rng: Random,
    ) -> None:
        self.member = member
        self.limits = limits
        self.group = group
        self.history = history
        self.rng = rng
        self._seq = 0

    def attack(self, kind: Hostility, *, now: int) -> list[Attack]:
        """Make the messages of one attack."""
        return ATTACKS[kind](self, now)

    def next_id(self) -> MessageId:
        """A fresh id of its own."""
        self._seq += 1
        return MessageId(self.member, self._seq)

    def any_parents(self) -> tuple[MessageId, ...]:
        """Something that really was sent, or the root."""
        entries = self.history.entries
        if not entries or self.rng.random() < 0.3:
            return ()
        return (entries[int(self.rng.random() * len(entries))].message.id,)

    def write_down(
        self,
        message_id: MessageId,
        *,
        parents: tuple[MessageId, ...],
        kind: Hostility,
        now: int,
        content: bytes = b"hostile",
    ) -> Entry:
        """Make one hostile message."""
        stamps, before = claim(
            message_id, parents=parents, group=self.group, history=self.history, now=now
        )
        message = Message(message_id, parents, content, stamps=stamps)
        return self.history.write_down(
            message,
            requires=before.requires,
            maybe_names=before.names,
            maybe_awaits=before.awaits,
            captures=before.captures,
            sent_at=now,
            maybe_hostility=kind,
        )


def equivocate(sender: HostileSender, now: int) -> list[Attack]:
    """Tell half of the nodes one thing and the other half another, then everybody both."""
    message_id = sender.next_id()
    kind = Hostility.EQUIVOCATION
    one = sender.write_down(
        message_id, parents=sender.any_parents(), kind=kind, now=now, content=b"yes"
    )
    other = sender.write_down(
        message_id, parents=sender.any_parents(), kind=kind, now=now, content=b"no"
    )
    attacks = [Attack(one, HeardBy.ODD), Attack(other, HeardBy.EVEN)]
    if sender.rng.random() < 0.5:
        attacks += [Attack(other, HeardBy.ODD), Attack(one, HeardBy.EVEN)]
    return attacks


def answer_itself(sender: HostileSender, now: int) -> list[Attack]:
    """A message among whose parents is the message."""
    message_id = sender.next_id()
    parents: tuple[MessageId, ...] = (message_id,)
    if sender.rng.random() < 0.3:
        parents = (*(p for p in sender.any_parents() if p != message_id), message_id)
    entry = sender.write_down(message_id, parents=parents, kind=Hostility.SELF_PARENT, now=now)
    return [Attack(entry)]


def go_round(sender: HostileSender, now: int) -> list[Attack]:
    """Messages that answer each other in a ring, in any order, sometimes with a way in.

    Each is of another conspirator: a message that answers a later one of its own sender would
    already be refused alone.
    """
    length = 2 + int(sender.rng.random() * (LONGEST_CYCLE - 1))
    _, seq = sender.next_id()
    ids = [MessageId(MemberId(f"conspirator-{number}#1"), seq) for number in range(length)]
    attacks = []
    for number, message_id in enumerate(ids):
        parents: tuple[MessageId, ...] = (ids[number - 1],)
        if sender.rng.random() < 0.2:
            parents = (*sender.any_parents(), *parents)
        entry = sender.write_down(
            message_id, parents=tuple(dict.fromkeys(parents)), kind=Hostility.CYCLE, now=now
        )
        attacks.append(Attack(entry))
    sender.rng.shuffle(attacks)
    return attacks


def flood(sender: HostileSender, now: int) -> list[Attack]:
    """More messages than a sender may have waiting, all waiting for what never comes.

    The skipped id makes them wait where only the sender's own counter is looked at.
    """
    sender.next_id()
    attacks = []
    for number in range(sender.limits.held_per_sender + FLOOD_ABOVE_ROOM):
        parents = (MessageId(sender.member, LEAP + number // 3),)
        entry = sender.write_down(sender.next_id(), parents=parents, kind=Hostility.FLOOD, now=now)
        attacks.append(Attack(entry))
    return attacks


def jump(sender: HostileSender, now: int) -> list[Attack]:
    """Counters that leap ahead, and one that comes back in between."""
    leap = LEAP + int(sender.rng.random() * 1_000)
    attacks = []
    for seq in (leap, leap + 2, leap + 1, leap // 2):
        entry = sender.write_down(
            MessageId(sender.member, seq),
            parents=sender.any_parents(),
            kind=Hostility.JUMP,
            now=now,
        )
        attacks.append(Attack(entry))
    return attacks


def forge_parent(sender: HostileSender, now: int) -> list[Attack]:
    """Answers to messages that nobody has sent: some will be sent soon, some never."""
    attacks = []
    for _ in range(2):
        sent = [entry for entry in sender.history.entries if entry.maybe_hostility is None]
        if not sent:
            break
        last = sent[int(sender.rng.random() * len(sent))].message.id
        forged = MessageId(last.sender, last.seq + 1 + int(sender.rng.random() * 4))
        entry = sender.write_down(
            sender.next_id(), parents=(forged,), kind=Hostility.FORGED_PARENT, now=now
        )
        attacks.append(Attack(entry))
    return attacks


def overstate(sender: HostileSender, now: int) -> list[Attack]:
    """One vector, or one list of parents, that is longer than the group allows.

    It is to be refused whatever it says, so it is written down as requiring itself.
    """
    message_id = sender.next_id()
    maybe_stamps = wide_stamps(sender.group.discipline, width=sender.limits.vector_width + 1)
    parents: tuple[MessageId, ...] = ()
    if maybe_stamps is None:
        other = MemberId("sybil#1")
        parents = tuple(MessageId(other, seq + 1) for seq in range(sender.limits.parents + 1))
    message = Message(message_id, parents, b"wide", stamps=maybe_stamps)
    entry = sender.history.write_down(
        message,
        requires=1 << sender.history.slot_of(message_id),
        sent_at=now,
        maybe_hostility=Hostility.WIDE,
    )
    return [Attack(entry)]


ATTACKS: Final[dict[Hostility, Callable[[HostileSender, int], list[Attack]]]] = {
    Hostility.EQUIVOCATION: equivocate,
    Hostility.SELF_PARENT: answer_itself,
    Hostility.CYCLE: go_round,
    Hostility.FLOOD: flood,
    Hostility.JUMP: jump,
    Hostility.WIDE: overstate,
    Hostility.FORGED_PARENT: forge_parent,
}
