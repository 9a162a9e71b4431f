"""Records of waits and gaps read as they were written, and other bytes are refused."""

from __future__ import annotations

import pytest

from ordering.requirement import Measure, UpTo
from ordering.values import MemberId, MessageId
from sinks.errors import RecordError
from sinks.records import Origin
from sinks.waits import (
    GapRecord,
    GapStatus,
    Sought,
    WaitRecord,
    WaitStatus,
    decode_gap,
    decode_wait,
    encode_gap,
    encode_wait,
    sought,
)

HELD = WaitRecord(4, 1, Origin(7, 2, 99), "b#1:1", WaitStatus.HELD, Sought("a#1:1"), 50)
ENDED = HELD._replace(ordinal=5, status=WaitStatus.RELEASED, maybe_sought=None)
GAP = GapRecord(1, "dev", GapStatus.ABANDONED, Sought("a#1:1", "acknowledged", "c#1"), 50)


@pytest.mark.parametrize("record", [HELD, ENDED])
def test_a_wait_reads_as_it_was_written(record: WaitRecord) -> None:
    assert decode_wait(encode_wait(record)) == record


def test_a_gap_reads_as_it_was_written() -> None:
    assert decode_gap(encode_gap(GAP)) == GAP


def test_a_requirement_is_told_in_words() -> None:
    alice = MemberId("alice#1")
    assert sought(MessageId(alice, 7)) == Sought("alice#1:7", "id", "")
    acknowledged = UpTo(alice, 7, Measure.ACKNOWLEDGED, MemberId("bob#1"))
    assert sought(acknowledged) == Sought("alice#1:7", "acknowledged", "bob#1")


def test_other_bytes_are_refused() -> None:
    encoded = encode_wait(HELD)
    for value in (b"", encoded[:48], encoded[:-1], encode_gap(GAP)):
        with pytest.raises(RecordError):
            decode_wait(value)
    for old, new in ((b'"held"', b'"lost"'), (b'"at":50', b'"at":"x"'), (b'"by"', b'"to"')):
        with pytest.raises(RecordError):
            decode_wait(encoded.replace(old, new))
    with pytest.raises(RecordError, match="if and only if it is held"):
        decode_wait(encoded.replace(b'"held"', b'"released"'))
    for value in (b"", b"[]", b"{}", encode_gap(GAP).replace(b"abandoned", b"forgotten")):
        with pytest.raises(RecordError):
            decode_gap(value)
