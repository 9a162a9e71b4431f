"""A tag covers every byte of an envelope, and a seal also hides its payload."""

from hashlib import blake2b

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.authentication.bounds import TAG_BYTES
from ingest.authentication.mode import Mode
from ingest.authentication.protection import MacKey, SealKey, parts_of, sender_key
from ingest.authentication.secret import Secret
from ingest.wire.envelope import Envelope, decode
from ingest.wire.errors import WireError
from ordering.values import MemberId, MessageId
from tests.ingest.envelopes import envelopes, plain

SECRET = Secret(bytes(range(32)))
OTHER = Secret(bytes(range(1, 33)))
PROTECTED = (Mode.MAC, Mode.AEAD)


def _untagged(envelope: Envelope) -> Envelope:
    return envelope._replace(key_id=1, tag=b"", is_sealed=False)


@given(envelopes(), st.sampled_from(PROTECTED))
def test_what_is_protected_is_an_envelope_with_the_same_fields(
    envelope: Envelope, mode: Mode
) -> None:
    sent = _untagged(envelope)
    key = sender_key(mode, SECRET)
    datagram = key.protect(sent)
    captured = decode(datagram)
    assert captured.is_sealed is (mode is Mode.AEAD)
    assert len(captured.tag) == TAG_BYTES
    payload = sent.payload if mode is Mode.MAC else captured.payload
    assert captured == sent._replace(
        tag=captured.tag, is_sealed=captured.is_sealed, payload=payload
    )
    assert key.is_authentic(captured, datagram)
    if isinstance(key, SealKey):
        assert key.maybe_open(captured, datagram) == sent.payload


@pytest.mark.parametrize("mode", PROTECTED)
def test_no_bit_of_an_envelope_can_be_changed(mode: Mode) -> None:
    key = sender_key(mode, SECRET)
    parents = (MessageId(MemberId("bob#2"), 3),)
    datagram = key.protect(plain()._replace(key_id=1, parents=parents))
    survived = 0
    for place in range(len(datagram) * 8):
        changed = bytearray(datagram)
        changed[place // 8] ^= 1 << place % 8
        try:
            captured = decode(bytes(changed))
        except WireError:
            continue
        survived += 1
        if len(captured.tag) == TAG_BYTES:
            assert not key.is_authentic(captured, bytes(changed)), place
    assert survived > 100


@pytest.mark.parametrize("mode", PROTECTED)
def test_another_key_is_no_key(mode: Mode) -> None:
    datagram = sender_key(mode, SECRET).protect(plain()._replace(key_id=1))
    assert not sender_key(mode, OTHER).is_authentic(decode(datagram), datagram)


def test_a_sealed_payload_can_not_be_read() -> None:
    sent = plain()._replace(key_id=1, payload=b"sell everything at noon")
    datagram = SealKey(SECRET).protect(sent)
    assert b"noon" not in datagram
    assert len(decode(datagram).payload) == len(sent.payload)
    assert SealKey(OTHER).maybe_open(decode(datagram), datagram) is None


def test_equal_payloads_of_two_messages_look_different() -> None:
    key = SealKey(SECRET)
    sealed = {
        decode(key.protect(plain(seq, sender=sender)._replace(key_id=1))).payload
        for seq in (1, 2, 3)
        for sender in ("alice#1", "alice#2")
    }
    assert len(sealed) == 6


def test_the_same_message_again_has_the_same_bytes() -> None:
    for mode in PROTECTED:
        key = sender_key(mode, SECRET)
        sent = plain()._replace(key_id=1)
        assert key.protect(sent) == key.protect(sent)


def test_a_tag_is_keyed_blake2b_over_all_before_it() -> None:
    datagram = MacKey(SECRET).protect(plain()._replace(key_id=1))
    expected = blake2b(datagram[:-16], key=SECRET.reveal(), digest_size=16).digest()
    assert datagram[-16:] == expected


def test_a_pid_comes_apart_at_its_last_mark() -> None:
    assert parts_of(MemberId("a#b#12")) == ("a#b", 12)
