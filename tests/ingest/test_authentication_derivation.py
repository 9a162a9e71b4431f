"""Every key is one way from the one above it, and no two uses share one."""

import itertools

import pytest
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.kdf.hkdf import HKDF, HKDFExpand

from ingest.authentication.derivation import narrowed, used_key
from ingest.authentication.errors import KeysError
from ingest.authentication.key_file import Keys
from ingest.authentication.mode import Mode
from ingest.authentication.secret import Secret
from tests.ingest.keys import keys

SITE = keys(1, 2)


def _used(
    held: Keys, *, mode: Mode = Mode.MAC, kind: int = 1, group: str = "g", name: str = "alice"
) -> Secret:
    return used_key(held, held.newest, mode=mode, kind=kind, group=group, name=name)


def test_the_derivation_is_the_one_that_is_documented() -> None:
    def prefixed(*parts: bytes) -> bytes:
        return b"".join(bytes([0, len(part)]) + part for part in parts)

    group = HKDF(
        algorithm=hashes.SHA256(), length=32, salt=None, info=prefixed(b"precede 1 group", b"g")
    ).derive(bytes([2] * 32))
    member = HKDFExpand(
        algorithm=hashes.SHA256(), length=32, info=prefixed(b"precede 1 member", b"g", b"alice")
    ).derive(group)
    use = HKDFExpand(
        algorithm=hashes.SHA256(), length=32, info=prefixed(b"precede 1 use", b"mac", b"1")
    ).derive(member)
    assert _used(SITE).reveal() == use


def test_no_two_uses_share_a_key() -> None:
    # ("ab", "c") and ("a", "bc") spell the same letters and are other members.
    names = [("ab", "c"), ("a", "bc"), ("a", "b"), ("abc", "d")]
    found = [
        _used(held, mode=mode, kind=kind, group=group, name=name)
        for held, mode, kind, (group, name) in itertools.product(
            (keys(1), keys(2)), (Mode.MAC, Mode.AEAD), (1, 3), names
        )
    ]
    assert len(set(found)) == len(found)


@pytest.mark.parametrize("maybe_name", [None, "alice"])
def test_narrowed_keys_give_what_the_sites_give(maybe_name: str | None) -> None:
    mine = narrowed(SITE, group="g", maybe_name=maybe_name)
    assert [key.id for key in mine.keys] == [1, 2]
    assert _used(mine) == _used(SITE)
    assert mine.newest.secret != SITE.newest.secret


def test_a_members_keys_come_from_the_groups_too() -> None:
    group = narrowed(SITE, group="g", maybe_name=None)
    assert narrowed(group, group="g", maybe_name="alice") == narrowed(
        SITE, group="g", maybe_name="alice"
    )


def test_narrowed_keys_reach_no_further() -> None:
    group = narrowed(SITE, group="g", maybe_name=None)
    member = narrowed(SITE, group="g", maybe_name="alice")
    with pytest.raises(KeysError, match="the group g"):
        _used(group, group="h")
    with pytest.raises(KeysError, match="alice in g"):
        _used(member, name="bob")
    with pytest.raises(KeysError, match="alice in g"):
        _used(member, group="h")
    with pytest.raises(KeysError, match="alice in g"):
        narrowed(member, group="g", maybe_name=None)
