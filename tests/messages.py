"""Small messages for tests, as bytes of the wire."""

from __future__ import annotations

from ingest.wire.envelope import Envelope, Kind, encode
from ordering.values import GroupId, MemberId, MessageId


def wire(
    sender: str, seq: int, *parents: tuple[str, int], group: str = "g", payload: bytes = b""
) -> bytes:
    """One envelope; `sender` and the parents' senders are names, of incarnation 1."""
    return encode(
        Envelope(
            Kind.MESSAGE,
            GroupId(group),
            MemberId(f"{sender}#1"),
            seq,
            tuple(MessageId(MemberId(f"{name}#1"), number) for name, number in parents),
            payload or f"{sender} {seq}".encode(),
            sent_at=1_000_000 * seq,
        )
    )
