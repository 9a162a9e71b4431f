"""From a site's key to the one that is used, each step one way.

    site's key ──HKDF──> group's key ──expand──> member's key ──expand──> key of (mode, kind)
    held by agents       held by members         held by a sender         used, never stored
                         that check others       that only speaks

The member is its name without the incarnation: a member that starts again needs no new key, and an
incarnation can't be forged, because it is inside what the tag covers. The kind of envelope is part
of the last step because each kind counts seqs of its own, and the mode because a tag must not be
taken for a seal. Every text is preceded by its length, so that no two inputs look alike.

HKDF is RFC 5869 with SHA-256.
"""

from typing import Final

from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from ingest.authentication import bounds
from ingest.authentication.errors import KeysError
from ingest.authentication.key_file import Key, Keys
from ingest.authentication.mode import Mode
from ingest.authentication.secret import Secret

_GROUP: Final = b"precede 1 group"
_MEMBER: Final = b"precede 1 member"
_USE: Final = b"precede 1 use"
_LENGTH_BYTES: Final = 2


def used_key(keys: Keys, key: Key, *, mode: Mode, kind: int, group: str, name: str) -> Secret:
    """Give the key of one sender's envelopes. Raises KeysError where the file does not reach."""
    member = _member_secret(keys, key, group=group, name=name)
    return _expanded(member, _USE, mode.value, str(int(kind)))


def narrowed(keys: Keys, *, group: str, maybe_name: str | None) -> Keys:
    """Give the keys of one group, or of one member of it: what is handed to those who need no
    more. Called by `precede keys give`.
    """
    derived = tuple(
        key._replace(
            secret=_group_secret(keys, key, group=group)
            if maybe_name is None
            else _member_secret(keys, key, group=group, name=maybe_name)
        )
        for key in keys.keys
    )
    return Keys(derived, group, maybe_name)


def _group_secret(keys: Keys, key: Key, *, group: str) -> Secret:
    if keys.maybe_member is not None or keys.maybe_group not in (None, group):
        raise KeysError(f"these keys are for {_reach(keys)}; the group {group} needs others")
    if keys.maybe_group == group:
        return key.secret
    derivation = HKDF(
        algorithm=hashes.SHA256(),
        length=bounds.SECRET_BYTES,
        salt=None,
        info=_information(_GROUP, group),
    )
    return Secret(derivation.derive(key.secret.reveal()))


def _member_secret(keys: Keys, key: Key, *, group: str, name: str) -> Secret:
    if (keys.maybe_group, keys.maybe_member) == (group, name):
        return key.secret
    if keys.maybe_member is not None:
        raise KeysError(f"these keys are for {_reach(keys)}; {name} in {group} needs others")
    return _expanded(_group_secret(keys, key, group=group), _MEMBER, group, name)


def _expanded(secret: Secret, *parts: bytes | str) -> Secret:
    derivation = HKDFExpand(
        algorithm=hashes.SHA256(), length=bounds.SECRET_BYTES, info=_information(*parts)
    )
    return Secret(derivation.derive(secret.reveal()))


def _information(*parts: bytes | str) -> bytes:
    encoded = [part.encode() if isinstance(part, str) else part for part in parts]
    return b"".join(len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in encoded)


def _reach(keys: Keys) -> str:
    if keys.maybe_member is None:
        return f"the group {keys.maybe_group}"
    return f"{keys.maybe_member} in {keys.maybe_group}"
