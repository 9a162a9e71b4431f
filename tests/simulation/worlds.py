"""Small endpoints and worlds that several tests need."""

from __future__ import annotations

from dataclasses import replace

from ordering.policy import GroupPolicy
from ordering.values import MemberId, Message, MessageId
from simulation.endpoint import Endpoint, Role
from simulation.history import Entry, History
from simulation.options import (
    DelayShape,
    GiveUp,
    GroupOptions,
    Options,
    expand,
)

SEMANTIC = GroupOptions("semantic", GiveUp.HOLD, 0)


def plain_options(seed: int = 1, *, messages: int = 20, members: int = 3) -> Options:
    """A world in which nothing goes wrong."""
    return replace(
        expand(seed),
        groups=(SEMANTIC,),
        members=members,
        messages=messages,
        delay_shape=DelayShape.NONE,
        delay_us=0,
        loss=0.0,
        duplication=0.0,
        shuffle_window=0,
        partitions=0,
        clogs=0,
        restarts=0,
        member_crashes=0,
        vanished=0.0,
        clock_skew_us=0,
        edges=1,
        largest_batch=5,
        service_crashes=0,
        tight=(),
        hostile=(),
    )


def new_endpoint(history: History) -> Endpoint:
    """An endpoint of a semantic group that has been given nothing."""
    return Endpoint(
        "alice#1", role=Role.MEMBER, options=SEMANTIC, policy=GroupPolicy(), history=history
    )


def chain(history: History, length: int) -> list[Entry]:
    """Messages of one sender, each of which answers the one before it."""
    entries = []
    parents: tuple[MessageId, ...] = ()
    for seq in range(1, length + 1):
        message = Message(MessageId(MemberId("bob#1"), seq), parents, b"%d" % seq)
        entries.append(history.write_down(message, requires=history.mask_of(parents), sent_at=0))
        parents = (message.id,)
    return entries


def honest_chain(length: int, *, crash_after: int) -> Endpoint:
    """An endpoint that was given a chain, last message first, and crashed on the way."""
    history = History()
    endpoint = new_endpoint(history)
    for number, entry in enumerate(reversed(chain(history, length)), start=1):
        endpoint.receive(entry, now=number)
        if number == crash_after:
            endpoint.crash()
    return endpoint
