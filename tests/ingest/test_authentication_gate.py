"""The gate lets pass what its group's mode asks for, and nothing else."""

from pathlib import Path

import pytest

from ingest.authentication.errors import KeysError
from ingest.authentication.gate import Gate, TagFault, open_gate
from ingest.authentication.mode import Mode
from ingest.authentication.replay_memory import Freshness
from ingest.authentication.settings import AuthenticationSettings
from ingest.wire.envelope import Envelope, decode, encode
from tests.ingest.envelopes import plain
from tests.ingest.keys import key_file, keyring, keys

RULES = ("open=none", "tagged=mac", "sealed=aead")


def _gate(folder: Path) -> Gate:
    path = key_file(folder, keys(1, 2))
    return open_gate(AuthenticationSettings(groups=RULES, keys_file=path))


def _fault(gate: Gate, datagram: bytes) -> TagFault | None:
    return gate.authenticate(decode(datagram), datagram)


def _sent(folder: Path, group: str, mode: Mode) -> bytes:
    if mode is Mode.NONE:
        return encode(plain(group=group))
    return keyring(folder, 1, 2).protect(plain(group=group), mode=mode)


@pytest.mark.parametrize(
    ("group", "mode", "expected"),
    [
        ("open", Mode.NONE, None),
        ("open", Mode.MAC, None),
        ("open", Mode.AEAD, None),
        ("tagged", Mode.NONE, TagFault.UNTAGGED),
        ("tagged", Mode.MAC, None),
        ("tagged", Mode.AEAD, TagFault.WRONG_MODE),
        ("sealed", Mode.NONE, TagFault.UNTAGGED),
        ("sealed", Mode.MAC, TagFault.WRONG_MODE),
        ("sealed", Mode.AEAD, None),
    ],
)
def test_a_group_takes_its_own_mode_only(
    tmp_path: Path, group: str, mode: Mode, expected: TagFault | None
) -> None:
    datagram = _sent(tmp_path, group, mode)
    assert _fault(_gate(tmp_path), datagram) is expected


def test_a_wrong_key_and_an_unknown_one_are_told_apart(tmp_path: Path) -> None:
    unknown = keyring(tmp_path, 3).protect(plain(group="tagged"), mode=Mode.MAC)
    gate = _gate(tmp_path)
    assert _fault(gate, unknown) is TagFault.UNKNOWN_KEY
    forged = _sent(tmp_path, "tagged", Mode.MAC)[:-1] + b"?"
    assert _fault(gate, forged) is TagFault.FORGED


def _remembered(gate: Gate, *envelopes: Envelope) -> list[Freshness]:
    return [gate.remember(envelope, now=0) for envelope in envelopes]


def test_a_protected_group_has_windows_and_an_open_one_has_none(tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    tagged, untagged = plain(group="tagged"), plain(group="open")
    assert _remembered(gate, tagged, tagged) == [Freshness.NEW, Freshness.REPEAT]
    assert _remembered(gate, untagged, untagged) == [Freshness.NEW, Freshness.NEW]
    assert gate.is_protected(tagged)
    assert not gate.is_protected(untagged)
    assert (gate.is_open(b"tagged"), gate.is_open(b"open")) == (False, True)


def test_a_forged_datagram_moves_no_window(tmp_path: Path) -> None:
    gate = _gate(tmp_path)
    honest = _sent(tmp_path, "tagged", Mode.MAC)
    far = decode(honest)._replace(seq=2**60)
    assert _fault(gate, encode(far)) is TagFault.FORGED
    assert _remembered(gate, decode(honest)) == [Freshness.NEW]


def test_protection_without_keys_does_not_open(tmp_path: Path) -> None:
    missing = AuthenticationSettings(default=Mode.MAC, keys_file=tmp_path / "none")
    with pytest.raises(KeysError, match="precede keys new"):
        open_gate(missing)
    with pytest.raises(KeysError, match="no keys"):
        Gate(missing.modes(), maybe_keyring=None, memory=_gate(tmp_path)._memory)


def test_where_nothing_is_protected_no_keys_are_read() -> None:
    gate = open_gate(AuthenticationSettings(keys_file=Path("none")))
    assert gate.maybe_keyring is None
    assert _fault(gate, encode(plain())) is None
    assert gate.is_open(b"any")
