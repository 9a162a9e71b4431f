"""The ledger: everything that went over the ether of a population, and what is true about it.

The world writes it down where datagrams are sent, before any is lost. So it knows what no member
can: every message that was ever sent, who had delivered what when it was sent, and how often each
was repeated in answers. The recorder reads the same: it is the service's role, which hears
everything, and runs the same engine.
"""

from __future__ import annotations

from collections import Counter
from typing import NamedTuple

from ingest.wire.envelope import Envelope, Kind, decode, message_of
from ingest.wire.synchronisation import Request, Response, decode_synchronisation
from members.confirming import audience_of, is_control
from members.reliability import engine_policy
from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy
from ordering.stamps import CausalStamps
from ordering.values import MemberId, MessageId


class Said(NamedTuple):
    """One message of an honest member."""

    id: MessageId
    parents: tuple[MessageId, ...]
    payload: bytes
    sent_at: int
    before: frozenset[MessageId]
    """what its sender had delivered when it sent it"""
    is_control: bool = False
    """whether it only confirms, and is told to no program"""
    counted: frozenset[MessageId] = frozenset()
    """what its stamps count, in a causal group: controls too"""
    audience: tuple[MemberId, ...] = ()
    """whom it is for, in a causal group"""


class Ledger:
    """What is true about one population."""

    def __init__(self, policy: GroupPolicy) -> None:
        self.said: dict[MessageId, Said] = {}
        self.recorder = Engine(engine_policy(policy))
        self.recorded: list[MessageId] = []
        self.datagrams: Counter[str] = Counter()
        self.answers: Counter[tuple[MemberId, MemberId, int, MessageId]] = Counter()
        """(who answered, whom, which request, which message) -> how often"""
        self.repeats: Counter[MessageId] = Counter()
        """how often a message was sent in answers"""
        self.requested: list[tuple[MemberId, Request]] = []

    def sent(self, datagram: bytes, *, before: frozenset[MessageId], now: int) -> None:
        """Write down a datagram of an honest member, who had delivered this `before`."""
        envelope = decode(datagram)
        self.datagrams[envelope.kind.name.lower()] += 1
        if envelope.kind is Kind.MESSAGE:
            self._say(envelope, datagram, before=before, now=now)
        elif envelope.kind is Kind.SYNCHRONISATION:
            self._note_synchronisation(envelope)

    def _say(
        self, envelope: Envelope, datagram: bytes, *, before: frozenset[MessageId], now: int
    ) -> None:
        """Record a message as the service would, which hears everything."""
        message = message_of(envelope, datagram)
        payload = envelope.payload
        stamps = message.stamps if isinstance(message.stamps, CausalStamps) else None
        self.said[message.id] = Said(
            message.id,
            message.parents,
            payload,
            now,
            before,
            is_control(message.id, stamps, payload),
            counted_by(stamps),
            audience_of(message.id, stamps),
        )
        for event in self.recorder.receive(message, now=now):
            if isinstance(event, Delivered):
                self.recorded.append(event.message.id)

    def _note_synchronisation(self, envelope: Envelope) -> None:
        body = decode_synchronisation(envelope.payload)
        self.datagrams[type(body).__name__.lower()] += 1
        if isinstance(body, Request):
            self.requested.append((envelope.sender, body))
        if isinstance(body, Response):
            for raw in body.messages:
                inner = decode(raw)
                message_id = MessageId(inner.sender, inner.seq)
                key = (envelope.sender, MemberId(body.requester), body.request_seq, message_id)
                self.answers[key] += 1
                self.repeats[message_id] += 1


def counted_by(stamps: CausalStamps | None) -> frozenset[MessageId]:
    """Write out what causal stamps count."""
    if stamps is None:
        return frozenset()
    return frozenset(
        MessageId(MemberId(member), seq)
        for member, upcoming in zip(stamps.members, stamps.csn, strict=True)
        for seq in range(1, upcoming)
    )
