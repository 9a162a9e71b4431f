"""A refusal carries what was refused, whole, and can't be taken for anything else."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.wire import bounds
from ingest.wire.bundle import is_bundle
from ingest.wire.envelope import decode, encode
from ingest.wire.errors import WireError, WireReason
from ingest.wire.refusal import (
    HEAD_BYTES,
    Refusal,
    decode_refusal,
    encode_refusal,
    is_refusal,
)
from tests.ingest.envelopes import plain

FORGED = Refusal("forged", "10.0.0.7:40001", "the tag is wrong", encode(plain()))
TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=15)


@given(st.from_regex(r"[a-z][a-z0-9_]{0,63}", fullmatch=True), TEXTS, TEXTS, st.binary())
def test_what_is_written_is_read(reason: str, source: str, detail: str, datagram: bytes) -> None:
    refusal = Refusal(reason, source, detail, datagram)
    written = encode_refusal(refusal)
    assert is_refusal(written)
    assert not is_bundle(written)
    assert decode_refusal(written) == refusal


def test_no_refusal_is_an_envelope() -> None:
    with pytest.raises(WireError) as caught:
        decode(encode_refusal(FORGED))
    assert caught.value.reason is WireReason.NOT_OURS


def test_the_example_of_the_format_is_exactly_these_bytes() -> None:
    written = encode_refusal(Refusal("forged", "10.0.0.7:40001", "", b"PRCD"))
    assert written == bytes.fromhex("50524352 01 00 0006 000e 0000") + b"forged10.0.0.7:40001PRCD"


@given(st.binary(max_size=80))
def test_any_bytes_are_read_or_refused_with_a_reason(data: bytes) -> None:
    for value in (data, b"PRCR" + data, encode_refusal(FORGED)[:20] + data):
        with suppress(WireError):
            assert decode_refusal(value).reason


@pytest.mark.parametrize(
    ("place", "byte", "reason"),
    [
        (0, 0, WireReason.NOT_OURS),
        (4, 2, WireReason.UNKNOWN_VERSION),
        (5, 1, WireReason.UNKNOWN_FLAGS),
        (6, 255, WireReason.LENGTH_MISMATCH),
        (8, 255, WireReason.OVER_BOUND),
        (10, 255, WireReason.OVER_BOUND),
        (HEAD_BYTES, ord("F"), WireReason.BAD_BODY),
        (HEAD_BYTES + 8, 255, WireReason.BAD_BODY),
    ],
)
def test_each_broken_rule_has_its_reason(place: int, byte: int, reason: WireReason) -> None:
    value = bytearray(encode_refusal(FORGED))
    value[place] = byte
    with pytest.raises(WireError) as caught:
        decode_refusal(bytes(value))
    assert caught.value.reason is reason


def test_every_cut_before_the_datagram_is_refused() -> None:
    whole = encode_refusal(FORGED)
    for end in range(len(whole) - len(FORGED.datagram)):
        with pytest.raises(WireError):
            decode_refusal(whole[:end])


def test_what_is_too_long_is_cut_between_letters() -> None:
    long = Refusal("forged", "x" * 100, "ü" * 1_000, bytes(70_000))
    read = decode_refusal(encode_refusal(long))
    assert len(read.source) == bounds.SOURCE_BYTES
    assert read.detail.endswith("ü ...")
    assert len(read.detail.encode()) <= bounds.DETAIL_BYTES
    assert len(read.datagram) == bounds.REFUSED_BYTES


@pytest.mark.parametrize("reason", ["", "Forged", "for ged", "x" * 65, "ü"])
def test_a_reason_is_a_word(reason: str) -> None:
    with pytest.raises(WireError, match="small letters"):
        encode_refusal(FORGED._replace(reason=reason))


def test_a_refusal_tells_a_person_who_and_why() -> None:
    assert FORGED.sentence == "from 10.0.0.7:40001: the tag is wrong"
    assert FORGED._replace(detail="").sentence == "from 10.0.0.7:40001"
