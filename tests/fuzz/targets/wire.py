"""The parsers of the wire: envelope, stamps, bundle, refusal, management, synchronisation."""

from __future__ import annotations

from random import Random
from struct import Struct

from ingest.wire.bundle import cut, pack
from ingest.wire.envelope import PREFIX_BYTES, Kind, decode, encode, maybe_plain_group
from ingest.wire.errors import WireError
from ingest.wire.holdings import Holding
from ingest.wire.management import (
    Advertise,
    Create,
    GroupInfo,
    GroupsInfo,
    Join,
    Leave,
    decode_management,
    encode_management,
)
from ingest.wire.refusal import Refusal, decode_refusal, encode_refusal
from ingest.wire.stamps_codec import decode_stamps, encode_stamps
from ingest.wire.synchronisation import (
    Have,
    Request,
    Response,
    Wanted,
    decode_synchronisation,
    encode_synchronisation,
)
from tests.fuzz.mutator import Field
from tests.fuzz.target import Target
from tests.fuzz.targets.examples import STAMPS, envelopes
from tests.fuzz.targets.outcomes import ACCEPTED, refused

LENGTHS = (Field(8, 2), Field(10, 2), Field(12, 2), Field(14, 2), Field(16, 4), Field(20, 2))
PREFIX_FIELDS = (*LENGTHS, Field(5, 1), Field(6, 1), Field(7, 1), Field(22, 2), Field(24, 8),
                 Field(32, 8))  # fmt: skip
NAMES = (b"alice#1", b"#", b"\xff", b"\x1b[2J", b"dev", b"PRCD\x01", b"PRCB\x01\0", b"PRCR\x01\0")
DEEP = (b"\x91" * 40, b"\xdd\xff\xff\xff\xff", b"\xdf\xff\xff\xff\xff", b"\xc6\xff\xff\xff\xff",
        b"\x93", b"\xc0", b"\xa1a", b"\xcf" + b"\xff" * 8, b"\xd3\x80" + bytes(7))  # fmt: skip


def run_envelope(data: bytes) -> str:
    """What decodes has one spelling, unless it has stamps, where MessagePack has several. What
    passes for a plain message at a glance is one, and no other is.
    """
    maybe_group = maybe_plain_group(data)
    try:
        envelope = decode(data)
    except WireError as error:
        assert maybe_group is None
        return refused(error.reason, error.detail)
    is_plain = envelope.kind is Kind.MESSAGE and envelope.stamps is None and not envelope.tag
    assert maybe_group == (envelope.group.encode() if is_plain else None)
    again = encode(envelope)
    assert again == data if envelope.stamps is None else decode(again) == envelope
    return f"{ACCEPTED} {envelope.kind.name} {type(envelope.stamps).__name__}"


def mend_envelope(data: bytes, chance: Random) -> bytes:
    """Let one length take up what the others leave, so that the sum is right."""
    if len(data) < PREFIX_BYTES:
        return data
    lengths = [int.from_bytes(data[f.start : f.start + f.size], "big") for f in LENGTHS]
    chosen = int(chance.random() * len(LENGTHS)) if chance.random() < 0.3 else 4
    start, size, _ = LENGTHS[chosen]
    rest = len(data) - PREFIX_BYTES - sum(lengths) + lengths[chosen]
    if not 0 <= rest < 1 << 8 * size:
        return data
    return data[:start] + rest.to_bytes(size, "big") + data[start + size :]


def run_stamps(data: bytes) -> str:
    """The first byte is the kind."""
    try:
        maybe_stamps = decode_stamps(data[0] if data else 0, data[1:])
        kind, again = encode_stamps(maybe_stamps)
    except WireError as error:
        return refused(error.reason, error.detail)
    assert decode_stamps(kind, again) == maybe_stamps
    return f"{ACCEPTED} {type(maybe_stamps).__name__}"


def run_bundle(data: bytes) -> str:
    try:
        entries = cut(data)
    except WireError as error:
        return refused(error.reason, error.detail)
    assert pack(entries) == data
    return f"{ACCEPTED} {min(4, len(entries))}"


def mend_bundle(data: bytes, _: Random) -> bytes:
    """Let the last length take up the rest."""
    count = int.from_bytes(data[6:8], "big")
    start = 8 + 12 * count
    if not 1 <= count <= 64 or len(data) < start:
        return data
    others = Struct(f">{count - 1}I").unpack_from(data, 8 + 8 * count)
    rest = len(data) - start - sum(others)
    return data if rest < 0 else data[: start - 4] + rest.to_bytes(4, "big") + data[start:]


def run_refusal(data: bytes) -> str:
    try:
        refusal = decode_refusal(data)
    except WireError as error:
        return refused(error.reason, error.detail)
    assert encode_refusal(refusal) == data
    assert refusal.sentence
    return ACCEPTED


def run_management(data: bytes) -> str:
    try:
        body = decode_management(data)
    except WireError as error:
        return refused(error.reason, error.detail)
    assert decode_management(encode_management(body)) == body
    return f"{ACCEPTED} {type(body).__name__}"


def run_synchronisation(data: bytes) -> str:
    try:
        body = decode_synchronisation(data)
    except WireError as error:
        return refused(error.reason, error.detail)
    assert decode_synchronisation(encode_synchronisation(body)) == body
    return f"{ACCEPTED} {type(body).__name__}"


HOLDINGS = (Holding("alice#1", (1, 40, 42, 57)), Holding("bob#2", (3, 3), is_open=False))
MANAGEMENT = (
    Advertise(),
    Create("a line", "semantic", "causal"),
    Join(),
    Leave(),
    GroupsInfo((GroupInfo("dev", "", "fifo", "", ("alice#1",), ("bob#2",)),)),
)
SYNCHRONISATION = (
    Request(HOLDINGS, Wanted.EVERYTHING),
    Request((), Wanted.LAST, last=5),
    Request(HOLDINGS, Wanted.THREAD, maybe_thread=("alice#1", 3)),
    Request((), Wanted.EXACTLY, exactly=HOLDINGS),
    Response("alice#1", 1, 3, (envelopes()[0], b"")),
    Have(HOLDINGS, 77, "bob#2", 4),
)
BUNDLES = (
    pack([(1_000, envelopes()[0])]),
    pack([(1, b"hi"), (2, b""), (3, envelopes()[1])]),
    pack([(number, b"x") for number in range(20)]),
)
REFUSALS = (
    encode_refusal(Refusal("forged", "10.0.0.7:40001", "the tag is wrong", envelopes()[0])),
    encode_refusal(Refusal("too_short", "[::1]:1", "", b"")),
)

TARGETS = (
    Target(
        "envelope", run_envelope, envelopes(), fields=PREFIX_FIELDS, tokens=(*NAMES, *DEEP),
        mend=mend_envelope,
    ),
    Target(
        "stamps",
        run_stamps,
        tuple(bytes((kind,)) + raw for kind, raw in (encode_stamps(one) for one in STAMPS)),
        fields=(Field(0, 1), Field(1, 1)),
        tokens=(*NAMES, *DEEP),
    ),
    Target(
        "bundle", run_bundle, BUNDLES, tokens=NAMES, mend=mend_bundle,
        fields=(Field(4, 1), Field(5, 1), Field(6, 2), Field(8, 8), Field(16, 4), Field(20, 4)),
    ),
    Target(
        "refusal", run_refusal, REFUSALS, tokens=(*NAMES, "ü".encode()),
        fields=(Field(4, 1), Field(5, 1), Field(6, 2), Field(8, 2), Field(10, 2)),
    ),
    Target(
        "management", run_management, tuple(encode_management(body) for body in MANAGEMENT),
        tokens=(*NAMES, *DEEP),
    ),
    Target(
        "synchronisation", run_synchronisation,
        tuple(encode_synchronisation(body) for body in SYNCHRONISATION), tokens=(*NAMES, *DEEP),
    ),
)  # fmt: skip
