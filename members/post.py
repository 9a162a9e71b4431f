"""Post: what a member writes on its envelopes, and how it reads those of others.

`Post(seal, read)` is where authentication comes in: `seal` turns an envelope into bytes and may add
a tag, `read` turns bytes into an envelope and raises WireError for what is malformed or forged.
The plain ones are the wire format's own `encode` and `decode`.
"""

from collections.abc import Callable
from typing import NamedTuple

from ingest.wire.envelope import Envelope, Kind, decode, encode
from ingest.wire.management import ManagementBody, encode_management
from ingest.wire.synchronisation import SynchronisationBody, encode_synchronisation
from ordering.stamps import Stamps
from ordering.values import GroupId, MemberId, MessageId


class Post(NamedTuple):
    """How envelopes are written and read."""

    seal: Callable[[Envelope], bytes] = encode
    read: Callable[[bytes], Envelope] = decode

    def message(
        self,
        group: GroupId,
        message_id: MessageId,
        *,
        parents: tuple[MessageId, ...],
        payload: bytes,
        stamps: Stamps | None,
        now: int,
    ) -> tuple[Envelope, bytes]:
        """Write a message of one's own."""
        envelope = Envelope(
            Kind.MESSAGE, group, message_id.sender, message_id.seq, parents, payload, now, stamps
        )
        return envelope, self.seal(envelope)

    def management(
        self, group: GroupId, pid: MemberId, body: ManagementBody, *, seq: int, now: int
    ) -> bytes:
        """Write a record of group management."""
        payload = encode_management(body)
        return self.seal(
            Envelope(Kind.GROUP_MANAGEMENT, group, pid, seq, payload=payload, sent_at=now)
        )

    def synchronisation(
        self, group: GroupId, pid: MemberId, body: SynchronisationBody, *, seq: int, now: int
    ) -> bytes:
        """Write a record of synchronisation."""
        payload = encode_synchronisation(body)
        return self.seal(
            Envelope(Kind.SYNCHRONISATION, group, pid, seq, payload=payload, sent_at=now)
        )
