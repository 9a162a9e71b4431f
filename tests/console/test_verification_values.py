"""A captured datagram is a message with its key and parents, or nothing that is compared."""

from __future__ import annotations

from console.verification_values import coordinates_of, parse_captured
from ingest.wire.envelope import encode, tick
from ordering.values import MemberId, MessageId
from sinks.records import Origin, QuarantineRecord
from tests.messages import wire


def test_a_message_has_its_key_and_its_parents() -> None:
    content = wire("b", 2, ("a", 1))
    maybe_message = parse_captured(content)
    assert maybe_message is not None
    assert maybe_message.key == ("g", MessageId(MemberId("b#1"), 2))
    assert maybe_message.parents == (MessageId(MemberId("a#1"), 1),)
    assert maybe_message.content == content


def test_what_is_no_message_is_none() -> None:
    assert parse_captured(b"junk") is None
    assert parse_captured(encode(tick(5))) is None


def test_a_record_says_where_it_was_captured() -> None:
    record = QuarantineRecord(1, 3, Origin(40, 2, 0), "", "", b"")
    assert coordinates_of(record) == (3, 40, 2)
