"""A member: any datagram, whoever sent it, into a group manager that is in a conversation."""

from __future__ import annotations

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.management import encode_management
from ingest.wire.synchronisation import encode_synchronisation
from members.routing import GroupManager
from ordering.values import GroupId, MemberId
from tests.fuzz.target import Target
from tests.fuzz.targets.examples import envelopes
from tests.fuzz.targets.outcomes import ACCEPTED, refused
from tests.fuzz.targets.wire import (
    DEEP,
    MANAGEMENT,
    NAMES,
    PREFIX_FIELDS,
    SYNCHRONISATION,
    mend_envelope,
)

START_AT = 1_760_000_000_000_000
LATER = START_AT + 10_000_000
BODIES = [(Kind.GROUP_MANAGEMENT, encode_management(body)) for body in MANAGEMENT]
BODIES += [(Kind.SYNCHRONISATION, encode_synchronisation(body)) for body in SYNCHRONISATION]
BOB = Envelope(Kind.MESSAGE, GroupId("dev"), MemberId("bob#1"), 1, sent_at=START_AT)
EXAMPLES = (
    *envelopes(),
    *(encode(BOB._replace(kind=kind, payload=payload)) for kind, payload in BODIES),
)


def run_member(data: bytes) -> str:
    """Nothing that arrives makes a member raise, then or when time passes; it still speaks."""
    manager = GroupManager("carol", incarnation=1, seed=1)
    manager.create("dev", now=START_AT)
    effects = manager.receive(data, now=START_AT)
    later = manager.advance(LATER)
    assert manager.send("dev", "hello", now=LATER).datagrams
    if manager.refused:
        return refused(", ".join(sorted(manager.refused)))
    kinds = {type(event).__name__ for event in (*effects.events, *later.events)}
    return f"{ACCEPTED} {', '.join(sorted(kinds))}"


TARGETS = (
    Target(
        "member", run_member, EXAMPLES, fields=PREFIX_FIELDS, tokens=(*NAMES, *DEEP, b"bob#1"),
        mend=mend_envelope,
    ),
)  # fmt: skip
