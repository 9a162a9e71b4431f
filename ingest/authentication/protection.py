"""Tag or seal an envelope, and check or open one.

    mac    tag = keyed BLAKE2b over every byte before the tag
    aead   payload and tag = AES-256-GCM-SIV; what is before the payload is associated data;
           nonce = incarnation (4 bytes) and seq (8 bytes)

Either way the tag covers all of the envelope but itself: kind, flags, lengths, key id, group,
sender, seq, sent_at, parents, stamps, payload. The sealed payload has the length of the plain one,
and an envelope with a sealed payload is still an envelope: everybody can order it.

A nonce is used once because (incarnation, seq) is, under a key of its own for each group, member
and kind. Should a member break that (the same seq twice with other content), GCM-SIV shows
whether the two were equal and nothing else, where plain GCM would give its key away (RFC 8452).
"""

import hmac
from functools import lru_cache
from hashlib import blake2b
from typing import Final

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCMSIV

from ingest.authentication import bounds
from ingest.authentication.mode import Mode
from ingest.authentication.secret import Secret
from ingest.wire.bounds import KNOWN_NAMES
from ingest.wire.envelope import Envelope, encode
from ordering.values import MemberId

_NO_TAG_YET: Final = bytes(bounds.TAG_BYTES)
_INCARNATION_BYTES: Final = 4
_SEQ_BYTES: Final = 8


class MacKey:
    """One sender's key for tags."""

    __slots__ = ("_keyed",)

    def __init__(self, secret: Secret) -> None:
        # The key is mixed in once; a copy of that state is cheaper than mixing it in again.
        self._keyed = blake2b(key=secret.reveal(), digest_size=bounds.TAG_BYTES)

    def protect(self, envelope: Envelope) -> bytes:
        """Give the bytes of a tagged envelope; `key_id` must be set."""
        covered = encode(envelope._replace(tag=_NO_TAG_YET))[: -bounds.TAG_BYTES]
        return covered + self._tag(covered)

    def is_authentic(self, envelope: Envelope, datagram: bytes) -> bool:
        """Is this tag the one that only a holder of the key can make?"""
        covered = memoryview(datagram)[: -bounds.TAG_BYTES]
        return hmac.compare_digest(self._tag(covered), envelope.tag)

    def _tag(self, covered: bytes | memoryview) -> bytes:
        state = self._keyed.copy()
        state.update(covered)
        return state.digest()


class SealKey:
    """One sender's key for sealed payloads."""

    __slots__ = ("_cipher",)

    def __init__(self, secret: Secret) -> None:
        self._cipher = AESGCMSIV(secret.reveal())

    def protect(self, envelope: Envelope) -> bytes:
        """Give the bytes of a sealed envelope; `key_id` must be set, `payload` is still plain."""
        payload = envelope.payload
        whole = encode(envelope._replace(tag=_NO_TAG_YET, is_sealed=True))
        before = whole[: len(whole) - bounds.TAG_BYTES - len(payload)]
        return before + self._cipher.encrypt(_nonce_of(envelope), payload, before)

    def maybe_open(self, envelope: Envelope, datagram: bytes) -> bytes | None:
        """Give the plain payload, or None if the envelope is not authentic."""
        payload_at = len(datagram) - bounds.TAG_BYTES - len(envelope.payload)
        nonce = _nonce_of(envelope)
        try:
            return self._cipher.decrypt(nonce, datagram[payload_at:], datagram[:payload_at])
        except InvalidTag:
            return None

    def is_authentic(self, envelope: Envelope, datagram: bytes) -> bool:
        """Was this sealed by a holder of the key?"""
        return self.maybe_open(envelope, datagram) is not None


def sender_key(mode: Mode, secret: Secret) -> MacKey | SealKey:
    """Give the key of a sender in a group of this mode."""
    return SealKey(secret) if mode is Mode.AEAD else MacKey(secret)


@lru_cache(maxsize=KNOWN_NAMES)
def parts_of(sender: MemberId) -> tuple[str, int]:
    """Take a checked pid apart into name and incarnation; remembered."""
    name, _, incarnation = sender.rpartition("#")
    return name, int(incarnation)


def _nonce_of(envelope: Envelope) -> bytes:
    incarnation = parts_of(envelope.sender)[1]
    return incarnation.to_bytes(_INCARNATION_BYTES, "big") + envelope.seq.to_bytes(
        _SEQ_BYTES, "big"
    )
