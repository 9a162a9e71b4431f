"""Short ways to write messages and to read what became of them."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from ordering.engine import Engine
from ordering.events import Delivered, Event, Quarantined
from ordering.policy import GiveUp, GroupPolicy, Limits
from ordering.stamps import Stamps
from ordering.values import MemberId, Message, MessageId

PATIENCE_US = 100
"""How long the groups of these tests wait before they give up."""


def ident(name: str) -> MessageId:
    """Read an id: "a1" is the first message of member a#1, "a.2:7" the seventh of a#2."""
    if ":" in name:
        member, seq = name.split(":")
        return MessageId(MemberId(member.replace(".", "#")), int(seq))
    return MessageId(MemberId(f"{name[0]}#1"), int(name[1:]))


def say(
    name: str, *parents: str, content: bytes | None = None, stamps: Stamps | None = None
) -> Message:
    """Write a message: say("b2", "a1") is b2, which answers a1."""
    return Message(
        ident(name),
        tuple(ident(parent) for parent in parents),
        name.encode() if content is None else content,
        stamps,
    )


def spell(message_id: MessageId) -> str:
    """Write an id the way `ident` reads it."""
    name, _, incarnation = message_id.sender.partition("#")
    if incarnation == "1" and len(name) == 1:
        return f"{name}{message_id.seq}"
    return f"{name}.{incarnation}:{message_id.seq}"


def delivered(events: Iterable[Event]) -> str:
    """Spell what was delivered, in order."""
    return " ".join(spell(event.message.id) for event in events if isinstance(event, Delivered))


def marks(events: Iterable[Event]) -> dict[str, set[str]]:
    """Give the marks of the deliveries that have some."""
    return {
        spell(event.message.id): {mark.value for mark in event.marks}
        for event in events
        if isinstance(event, Delivered) and event.marks
    }


def quarantined(events: Iterable[Event]) -> dict[str, str]:
    """Give the reasons of what was quarantined."""
    return {
        spell(event.message.id): event.reason.value
        for event in events
        if isinstance(event, Quarantined)
    }


def group(
    discipline: str = "semantic",
    *,
    give_up: GiveUp = GiveUp.HOLD,
    limits: Limits | None = None,
) -> Engine:
    """Make an engine for a test."""
    return Engine(policy_for(discipline, give_up=give_up, limits=limits))


def policy_for(
    discipline: str = "semantic",
    *,
    give_up: GiveUp = GiveUp.HOLD,
    limits: Limits | None = None,
) -> GroupPolicy:
    """Make a policy for a test."""
    return GroupPolicy(
        discipline=discipline,
        give_up=give_up,
        after_us=0 if give_up is GiveUp.HOLD else PATIENCE_US,
        limits=Limits() if limits is None else limits,
    )


def through_bytes(engine: Engine, policy: GroupPolicy) -> Engine:
    """Take an engine apart to bytes and put it together again, as a restart does."""
    data = msgspec.msgpack.encode(engine.snapshot())
    return Engine.restore(policy, msgspec.msgpack.decode(data))
