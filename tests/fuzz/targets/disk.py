"""What lies on the agent's disk: records of the spool, its cursor, its notices."""

from __future__ import annotations

from random import Random
from struct import Struct
from zlib import crc32

from ingest.spool.cursor import parse_cursor
from ingest.spool.dropped import read_notice
from ingest.spool.record import HEAD_BYTES, Entry, EntryKind, encode_record, scan
from ingest.wire.envelope import Envelope, Kind, encode
from ordering.values import GroupId, MemberId
from tests.fuzz.mutator import Field
from tests.fuzz.target import Target
from tests.fuzz.targets.examples import envelopes
from tests.fuzz.targets.outcomes import ACCEPTED, refused
from tests.fuzz.targets.wire import NAMES, PREFIX_FIELDS, mend_envelope

SALT = 0x9F3A77C2
ENTRIES = (
    Entry(1, 1_000, b"dev", envelopes()[0]),
    Entry(2, 1_001, b"", b""),
    Entry(3, 1_002, b"dev", b"{}", EntryKind.GAP_NOTICE),
)
RECORDS = tuple(encode_record(entry, SALT) for entry in ENTRIES)


def run_spool(data: bytes) -> str:
    """Every entry that is found stands in the bytes, record and checksums; no byte counts twice."""
    scanned = scan(data, SALT)
    start = 0
    for entry in scanned.entries:
        record = encode_record(entry, SALT)
        found = data.find(record, start)
        assert found >= 0
        start = found + len(record)
    assert start <= scanned.whole_through <= scanned.through <= len(data)
    assert not scanned.entries or data[: scanned.whole_through].endswith(record)
    whole = sum(entry.size for entry in scanned.entries)
    assert whole + scanned.damaged_bytes == scanned.through
    words = f"{min(4, len(scanned.entries))} entries, damaged {scanned.damaged_bytes > 0}"
    return f"{ACCEPTED} {words}" if scanned.entries else words


def mend_spool(data: bytes, chance: Random) -> bytes:
    """Make the checksums of the first record right for what now stands there."""
    if len(data) < HEAD_BYTES:
        return data
    length = int.from_bytes(data[4:8], "big")
    body = data[HEAD_BYTES : HEAD_BYTES + length]
    if chance.random() < 0.5:
        length = len(body)
    head = data[:4] + length.to_bytes(4, "big") + data[8:24] + crc32(body, SALT).to_bytes(4, "big")
    return head + Struct(">I").pack(crc32(head, SALT)) + data[HEAD_BYTES:]


def run_cursor(data: bytes) -> str:
    """A number is believed only if every byte of the file is as it was written."""
    data = data[:64]  # what is read of the file
    maybe_through = parse_cursor(data)
    if maybe_through is None:
        return refused("no cursor")
    assert data == b"%d %08x\n" % (maybe_through, crc32(b"%d" % maybe_through))
    return f"{ACCEPTED} {len(data)}"


def mend_cursor(data: bytes, _: Random) -> bytes:
    """Make the checksum right for the number that now stands there."""
    number = data.partition(b" ")[0]
    return b"%b %08x\n" % (number, crc32(number))


def run_notice(data: bytes) -> str:
    return refused("no notice") if read_notice(data) is None else ACCEPTED


NOTICE = Envelope(
    Kind.CONTROL,
    GroupId("dev"),
    MemberId("agent#1"),
    1,
    payload=b'{"notice": "capture_gap", "agent": "a", "messages": 3, "first_captured_at": 1}',
)

TARGETS = (
    Target(
        "spool", run_spool, (*RECORDS, b"".join(RECORDS), b"".join(RECORDS)[:-9]),
        fields=(Field(2, 1), Field(3, 1), Field(4, 4), Field(8, 8), Field(16, 8), Field(24, 4)),
        tokens=(*RECORDS, b"\xf5\x5f", b"\xf5\x5f\x01\x03"), mend=mend_spool,
    ),
    Target(
        "cursor", run_cursor, (b"0 f4dbdf21\n", b"1234 9be3e0a3\n"),
        tokens=(b" ", b"\n", b"0", b"-1", b"9" * 30, b"\xd9\xa3", b"+1", b"1_0"),
        mend=mend_cursor,
    ),
    Target(
        "notice", run_notice, (encode(NOTICE), encode(NOTICE._replace(payload=b"[[]]"))),
        fields=PREFIX_FIELDS,
        tokens=(*NAMES, b"[" * 3_000, b'{"a":' * 3_000, b"1e999", b"NaN", b'"', b"9" * 5_000),
        mend=mend_envelope,
    ),
)  # fmt: skip
