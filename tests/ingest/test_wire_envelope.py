from struct import pack_into

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.envelope import (
    MAGIC,
    PREFIX_BYTES,
    Envelope,
    Kind,
    decode,
    encode,
    maybe_plain_group,
    message_of,
    tick,
)
from ingest.wire.errors import WireError, WireReason
from ordering.values import GroupId, MemberId, MessageId
from tests.ingest.envelopes import envelopes, plain

MANY = 1000


def _decoded_or_reason(data: bytes) -> Envelope | WireReason:
    try:
        return decode(data)
    except WireError as error:
        return error.reason


def _reason_of(data: bytes) -> WireReason:
    reason = _decoded_or_reason(data)
    assert isinstance(reason, WireReason)
    return reason


def _with(data: bytes, layout: str, at: int, value: int) -> bytes:
    changed = bytearray(data)
    pack_into(layout, changed, at, value)
    return bytes(changed)


@settings(max_examples=500)
@given(envelopes())
def test_what_is_encoded_decodes_to_itself(envelope: Envelope) -> None:
    data = encode(envelope)
    assert decode(data) == envelope
    assert encode(decode(data)) == data


@given(st.integers(0, bounds.SENT_AT_LAST))
def test_a_tick_is_a_bare_prefix(sent_at: int) -> None:
    data = encode(tick(sent_at))
    assert len(data) == PREFIX_BYTES
    assert decode(data) == tick(sent_at)


@settings(max_examples=MANY)
@given(st.binary(max_size=400))
def test_no_bytes_raise_anything_but_a_wire_error(data: bytes) -> None:
    for candidate in (data, MAGIC + data, MAGIC + b"\x01\x01\x00\x00" + data):
        assert isinstance(_decoded_or_reason(candidate), Envelope | WireReason)


@settings(max_examples=MANY)
@given(envelopes(), st.data())
def test_a_changed_envelope_is_refused_or_means_what_its_bytes_say(
    envelope: Envelope, draw: st.DataObject
) -> None:
    changed = bytearray(encode(envelope))
    for _ in range(draw.draw(st.integers(1, 4))):
        at = draw.draw(st.integers(0, len(changed) - 1))
        changed[at] = draw.draw(st.integers(0, 255))
    data = bytes(changed)
    outcome = _decoded_or_reason(data)
    if isinstance(outcome, Envelope) and outcome.stamps is None:
        assert encode(outcome) == data


@given(envelopes(), st.data())
def test_an_envelope_cut_anywhere_or_with_more_behind_it_is_refused(
    envelope: Envelope, draw: st.DataObject
) -> None:
    data = encode(envelope)
    cut = draw.draw(st.integers(0, len(data) - 1))
    assert _reason_of(data[:cut]) in (WireReason.TOO_SHORT, WireReason.LENGTH_MISMATCH)
    assert _reason_of(data + b"\x00") is WireReason.LENGTH_MISMATCH


def test_the_layout_is_the_documented_one_byte_for_byte() -> None:
    envelope = Envelope(
        Kind.MESSAGE,
        GroupId("dev"),
        MemberId("alice#1"),
        7,
        parents=(MessageId(MemberId("bob#2"), 3),),
        payload=b"hi",
        sent_at=1_000,
        key_id=5,
        tag=b"tag!",
    )
    assert (
        encode(envelope)
        == bytes.fromhex(
            "50524344 01 01 01 00"
            "0003 0007 000f 0000 00000002 0004 0005"
            "0000000000000007 00000000000003e8"
        )
        + b"dev"
        + b"alice#1"
        + bytes.fromhex("0000000000000003 0005")
        + b"bob#2"
        + b"hi"
        + b"tag!"
    )


@pytest.mark.parametrize(
    ("layout", "at", "value", "reason"),
    [
        (">B", 0, 0, WireReason.NOT_OURS),
        (">B", 4, 2, WireReason.UNKNOWN_VERSION),
        (">B", 5, 0, WireReason.UNKNOWN_KIND),
        (">B", 5, 6, WireReason.UNKNOWN_KIND),
        (">B", 6, 4, WireReason.UNKNOWN_FLAGS),
        (">B", 6, 2, WireReason.BAD_TAG),
        (">B", 6, 1, WireReason.BAD_TAG),
        (">B", 7, 4, WireReason.UNKNOWN_STAMPS),
        (">B", 7, 1, WireReason.BAD_STAMPS),
        (">H", 8, bounds.GROUP_BYTES + 1, WireReason.OVER_BOUND),
        (">H", 10, bounds.MEMBER_BYTES + 1, WireReason.OVER_BOUND),
        (">H", 12, bounds.PARENTS_BYTES + 1, WireReason.OVER_BOUND),
        (">H", 14, bounds.STAMPS_BYTES + 1, WireReason.OVER_BOUND),
        (">I", 16, bounds.PAYLOAD_BYTES + 1, WireReason.OVER_BOUND),
        (">H", 20, bounds.TAG_BYTES + 1, WireReason.OVER_BOUND),
        (">I", 16, 4, WireReason.LENGTH_MISMATCH),
        (">H", 22, 1, WireReason.BAD_TAG),
        (">Q", 24, 0, WireReason.BAD_SEQ),
        (">Q", 24, 2**63, WireReason.BAD_SEQ),
        (">Q", 32, 2**63, WireReason.BAD_SENT_AT),
        (">B", 40, 0xFF, WireReason.BAD_GROUP),
        (">B", 43, 0x07, WireReason.BAD_SENDER),
        (">B", 5, Kind.TICK, WireReason.BAD_TICK),
    ],
)
def test_each_broken_rule_has_its_reason(
    layout: str, at: int, value: int, reason: WireReason
) -> None:
    assert _reason_of(_with(encode(plain()), layout, at, value)) is reason


@pytest.mark.parametrize(
    "parents",
    [
        b"\x00" * 9,
        b"\x00" * 7 + b"\x01" + b"\x00\x09" + b"bob#1",
        b"\x00" * 8 + b"\x00\x05" + b"bob#1",
        b"\xff" * 8 + b"\x00\x05" + b"bob#1",
        b"\x00" * 7 + b"\x01" + b"\x00\x03" + b"bob",
        (b"\x00" * 7 + b"\x01" + b"\x00\x05" + b"bob#1") * (bounds.PARENTS + 1),
        b"\x00" * 7 + b"\x01" + b"\x00\x05" + b"bob#1" + b"\x00",
    ],
    ids=["cut", "lying length", "seq 0", "seq over", "no incarnation", "too many", "spare byte"],
)
def test_a_list_of_parents_that_is_not_one_is_refused(parents: bytes) -> None:
    whole = encode(plain()._replace(payload=parents))
    moved = _with(_with(whole, ">H", 12, len(parents)), ">I", 16, 0)
    assert _reason_of(moved) is WireReason.BAD_PARENTS


def test_as_many_parents_as_the_bound_are_taken() -> None:
    parents = tuple(MessageId(MemberId("bob#1"), seq) for seq in range(1, bounds.PARENTS + 1))
    envelope = plain()._replace(parents=parents)
    assert decode(encode(envelope)) == envelope
    with pytest.raises(WireError, match="65 parents"):
        encode(envelope._replace(parents=(*parents, MessageId(MemberId("bob#1"), 65))))


@pytest.mark.parametrize(
    "broken",
    [
        plain(0),
        plain(2**63),
        plain(group=""),
        plain(group="\ud800"),
        plain(sender="alice"),
        plain()._replace(sent_at=-1),
        plain()._replace(key_id=1),
        plain()._replace(key_id=2**16, tag=b"t"),
        plain()._replace(tag=b"t" * (bounds.TAG_BYTES + 1)),
        plain()._replace(payload=b"p" * (bounds.PAYLOAD_BYTES + 1)),
        plain()._replace(parents=(MessageId(MemberId("bob"), 1),)),
        plain()._replace(parents=(MessageId(MemberId("bob#1"), 0),)),
        tick(1)._replace(seq=1),
        tick(1)._replace(payload=b"p"),
    ],
)
def test_what_nobody_could_decode_is_not_encoded(broken: Envelope) -> None:
    with pytest.raises(WireError):
        encode(broken)


def test_the_engine_gets_the_id_the_parents_and_every_byte() -> None:
    envelope = plain(3)._replace(parents=(MessageId(MemberId("bob#1"), 2),))
    content = encode(envelope)
    message = message_of(envelope, content, (17, 0, 5))
    assert message.id == MessageId(MemberId("alice#1"), 3)
    assert message.parents == envelope.parents
    assert message.content == content
    assert message.origin == (17, 0, 5)


@settings(max_examples=MANY)
@given(envelopes(), st.none() | st.tuples(st.integers(0, 10_000), st.integers(1, 255)))
def test_what_passes_for_a_plain_message_is_one(
    envelope: Envelope, maybe_change: tuple[int, int] | None
) -> None:
    data = encode(envelope)
    if maybe_change is not None:
        at, bits = maybe_change
        changed = bytearray(data)
        changed[at % len(data)] ^= bits
        data = bytes(changed)
    maybe_group = maybe_plain_group(data)
    maybe_envelope = _decoded_or_reason(data)
    is_plain = (
        isinstance(maybe_envelope, Envelope)
        and maybe_envelope.kind is Kind.MESSAGE
        and maybe_envelope.stamps is None
        and not maybe_envelope.tag
    )
    assert (maybe_group is not None) == is_plain
    if isinstance(maybe_envelope, Envelope) and maybe_group is not None:
        assert maybe_group == maybe_envelope.group.encode("utf-8")


def test_no_bytes_that_are_not_a_whole_message_pass_for_a_plain_one() -> None:
    data = encode(plain())
    assert maybe_plain_group(data) == b"dev"
    assert [maybe_plain_group(data[:size]) for size in range(len(data))] == [None] * len(data)
    assert maybe_plain_group(data + b"!") is None
    assert maybe_plain_group(b"") is None
