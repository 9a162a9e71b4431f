"""Decoding in bulk gives the same answer as decoding one by one, for any bytes."""

from collections import defaultdict
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.wire import message_decoder
from ingest.wire.envelope import Envelope, Kind, decode, encode, message_of
from ingest.wire.errors import WireError, WireReason
from ingest.wire.message_decoder import MessageDecoder
from ordering.values import GroupId, MemberId, Message, MessageId
from tests.ingest.envelopes import envelopes, plain

ORIGIN = (7, 0, 1_000)


def in_bulk(decoder: MessageDecoder, data: bytes) -> tuple[GroupId, Message | None] | WireReason:
    try:
        return decoder.decode(data, ORIGIN)
    except WireError as error:
        return error.reason


def one_by_one(data: bytes) -> tuple[GroupId, Message | None] | WireReason:
    try:
        envelope = decode(data)
    except WireError as error:
        return error.reason
    is_message = envelope.kind is Kind.MESSAGE
    return envelope.group, message_of(envelope, data, ORIGIN) if is_message else None


@settings(max_examples=500)
@given(st.lists(envelopes(), min_size=1, max_size=4), st.data())
def test_any_bytes_mean_the_same_whatever_was_seen_before(
    drawn: list[Envelope], draw: st.DataObject
) -> None:
    decoder = MessageDecoder()
    for envelope in drawn:
        data = encode(envelope)
        assert in_bulk(decoder, data) == one_by_one(data)
        assert in_bulk(decoder, data) == one_by_one(data)
        changed = bytearray(data)
        for _ in range(draw.draw(st.integers(1, 3))):
            changed[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
        assert in_bulk(decoder, bytes(changed)) == one_by_one(bytes(changed))
        assert in_bulk(decoder, data[:-1]) == one_by_one(data[:-1])


def must_be_parts_of(decoder: MessageDecoder, data: bytes) -> bool:
    """Bare parts are those of the message that the bytes mean; other bytes have none."""
    groups, parts = list[bytes](), defaultdict[bytes, list[Any]](list)
    decoder.cut([data], groups, parts)
    if not groups:
        assert not parts
        return False
    (group,) = groups
    sender, seq, parent, parent_seq, content, place = parts[group]
    assert (content, place) == (data, 0)
    meant = one_by_one(data)
    if meant is WireReason.BAD_GROUP:
        return True  # whoever takes parts knows the group or asks
    assert not isinstance(meant, WireReason)
    name, maybe_message = meant
    assert maybe_message is not None
    parents = (MessageId(MemberId(parent), parent_seq),) if parent_seq else ()
    assert (name.encode(), (sender, seq), parents) == (group, *maybe_message[:2])
    assert maybe_message.stamps is None
    return True


@settings(max_examples=500)
@given(st.lists(envelopes(), min_size=1, max_size=4), st.data())
def test_bare_parts_are_those_of_the_message(drawn: list[Envelope], draw: st.DataObject) -> None:
    decoder = MessageDecoder()
    for envelope in drawn:
        data = encode(envelope)
        assert not must_be_parts_of(decoder, b"")
        must_be_parts_of(decoder, data)
        in_bulk(decoder, data)
        is_plain = envelope.kind is Kind.MESSAGE and envelope.stamps is None
        assert must_be_parts_of(decoder, data) == (is_plain and len(envelope.parents) < 2)
        changed = bytearray(data)
        for _ in range(draw.draw(st.integers(1, 3))):
            changed[draw.draw(st.integers(0, len(data) - 1))] = draw.draw(st.integers(0, 255))
        must_be_parts_of(decoder, bytes(changed))
        must_be_parts_of(decoder, data[:-1])


def test_messages_are_cut_group_by_group_up_to_the_first_that_is_not_plain() -> None:
    decoder = MessageDecoder()
    answer = plain(2)._replace(parents=(MessageId(MemberId("bob#1"), 1),))
    here, there = encode(plain(1)), encode(plain(1)._replace(group=GroupId("h")))
    log = [here, there, encode(answer), b"junk", here]
    for data in log[:3]:
        in_bulk(decoder, data)
    groups, parts = list[bytes](), defaultdict[bytes, list[Any]](list)
    decoder.cut(log, groups, parts)
    own, sender = plain().group.encode(), plain().sender
    assert groups == [own, b"h", own]
    assert parts == {
        own: [sender, 1, "", 0, log[0], 0, sender, 2, "bob#1", 1, log[2], 2],
        b"h": [sender, 1, "", 0, log[1], 1],
    }
    decoder.cut(log[4:], groups, parts)
    assert parts[own][-6:] == [sender, 1, "", 0, log[4], 3]


def test_the_memory_for_names_is_bounded(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(message_decoder, "PIDS", 2)
    decoder = MessageDecoder()
    for name in ("ann#1", "bob#1", "eve#1", "ann#1"):
        data = encode(plain(1)._replace(sender=MemberId(name)))
        in_bulk(decoder, data)
        assert must_be_parts_of(decoder, data)


def test_a_known_shape_with_another_parent_sender_or_number_is_read_anew() -> None:
    decoder = MessageDecoder()
    ids = [MessageId(MemberId("bob#1"), 1), MessageId(MemberId("eve#1"), 2**62)]
    for seq in (1, 2, 2**62):
        for parent in ids:
            data = encode(plain(seq)._replace(parents=(parent,)))
            assert in_bulk(decoder, data) == one_by_one(data)


def test_numbers_beyond_their_bounds_are_refused_in_a_known_shape_too() -> None:
    decoder = MessageDecoder()
    parent = MessageId(MemberId("bob#1"), 1)
    data = encode(plain()._replace(parents=(parent,)))
    decoder.decode(data, ORIGIN)
    for at in (24, 32, len(data) - 5 - 5 - 10):
        for number in (0, 2**63):
            changed = data[:at] + number.to_bytes(8, "big") + data[at + 8 :]
            assert in_bulk(decoder, changed) == one_by_one(changed)


def test_the_memory_for_shapes_is_bounded() -> None:
    decoder = MessageDecoder()
    for size in range(message_decoder.SHAPES + 10):
        decoder.decode(encode(plain()._replace(payload=bytes(size))), ORIGIN)
    assert len(decoder._shapes) == message_decoder.SHAPES
    data = encode(plain()._replace(payload=bytes(message_decoder.SHAPES + 5)))
    assert in_bulk(decoder, data) == one_by_one(data)
