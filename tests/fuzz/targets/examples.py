"""Valid inputs to begin from: messages of every kind and shape, plain, tagged and sealed."""

from __future__ import annotations

from functools import cache

from ingest.authentication.derivation import used_key
from ingest.authentication.key_file import Key, Keys
from ingest.authentication.mode import Mode
from ingest.authentication.protection import parts_of, sender_key
from ingest.authentication.secret import Secret
from ingest.wire.envelope import Envelope, Kind, encode, tick
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps
from ordering.values import GroupId, MemberId, MessageId

ALICE, BOB = MemberId("alice#1"), MemberId("bob#4294967295")
SITE_KEYS = Keys((Key(1, 1, Secret(bytes(32))), Key(2, 2, Secret(bytes([7] * 32)))))

STAMPS = (
    CausalStamps((ALICE, BOB), (1, 2), (3, 4), (ALICE,), (5, 6), 7),
    SignificantStamps(9, (ALICE, BOB), (1, 2), 3, "read", "page", 4),
    ObjectStamps(1, 2, True, "post", "page", (ALICE,), (BOB,), ((1, 2, 3), (4, 5, 6))),
)


def messages(group: str = "dev") -> list[Envelope]:
    """Messages without a tag."""
    name = GroupId(group)
    parents = (MessageId(ALICE, 1), MessageId(BOB, 2**63 - 1), MessageId(ALICE, 3))
    plain = Envelope(Kind.MESSAGE, name, ALICE, 1, payload=b"hello", sent_at=1_000_000)
    return [
        plain,
        plain._replace(seq=2, parents=parents[:1]),
        plain._replace(sender=BOB, parents=parents, payload=b""),
        plain._replace(kind=Kind.CONTROL, seq=2**63 - 1, payload=b'{"notice": 1}'),
        plain._replace(kind=Kind.CONTROL, payload=b'{"policy": "fifo,release,5000"}'),
        *(plain._replace(stamps=stamps) for stamps in STAMPS),
    ]


@cache
def envelopes() -> tuple[bytes, ...]:
    """Envelopes of every shape."""
    tagged = messages()[1]._replace(key_id=2, tag=bytes(16))
    several = [*messages(), tagged, tagged._replace(is_sealed=True)]
    return (*(encode(envelope) for envelope in several), encode(tick(1_760_000_000_000_000)))


@cache
def protected(mode: Mode) -> tuple[bytes, ...]:
    """Authentic datagrams of the group `mac` or `aead`, with either live key."""
    made = []
    for envelope in messages(mode.value):
        for key in SITE_KEYS.keys:
            name = parts_of(envelope.sender)[0]
            secret = used_key(
                SITE_KEYS, key, mode=mode, kind=envelope.kind, group=mode.value, name=name
            )
            made.append(sender_key(mode, secret).protect(envelope._replace(key_id=key.id)))
    return tuple(made)
