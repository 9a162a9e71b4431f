"""A keyring knows senders by their keys, rotates without a pause, and survives a broken file."""

from pathlib import Path

import pytest

from ingest.authentication import bounds
from ingest.authentication.derivation import narrowed
from ingest.authentication.errors import KeysError
from ingest.authentication.key_file import replace_keys
from ingest.authentication.keyring import Keyring, Proof
from ingest.authentication.mode import Mode
from ingest.wire.envelope import decode
from tests.ingest.envelopes import plain
from tests.ingest.keys import key_file, keyring, keys

PROTECTED = (Mode.MAC, Mode.AEAD)


def _proof(ring: Keyring, datagram: bytes, mode: Mode = Mode.MAC) -> Proof:
    return ring.verify(decode(datagram), datagram, mode=mode)


@pytest.mark.parametrize("mode", PROTECTED)
def test_what_a_member_sends_an_agent_knows(tmp_path: Path, mode: Mode) -> None:
    ring = keyring(tmp_path)
    for seq in (1, 2):
        assert _proof(ring, ring.protect(plain(seq), mode=mode), mode) is Proof.AUTHENTIC


@pytest.mark.parametrize("mode", PROTECTED)
def test_nobody_can_speak_for_another_member_group_or_mode(tmp_path: Path, mode: Mode) -> None:
    ring = keyring(tmp_path)
    datagram = ring.protect(plain(), mode=mode)
    other = Mode.AEAD if mode is Mode.MAC else Mode.MAC
    assert _proof(ring, datagram, other) is Proof.FORGED
    for old, new in ((b"alice#1", b"alicf#1"), (b"alice#1", b"alice#2"), (b"dev", b"dew")):
        assert _proof(ring, datagram.replace(old, new), mode) is Proof.FORGED


def test_both_live_keys_are_accepted_and_the_newer_is_sent_with(tmp_path: Path) -> None:
    agent = keyring(tmp_path, 1, 2)
    old, new = (
        Keyring(key_file(tmp_path, held, "member")).protect(plain(), mode=Mode.MAC)
        for held in (keys(1), keys(1, 2))
    )
    assert [decode(datagram).key_id for datagram in (old, new)] == [1, 2]
    assert [_proof(agent, datagram) for datagram in (old, new)] == [Proof.AUTHENTIC] * 2


def test_a_retired_key_is_unknown(tmp_path: Path) -> None:
    retired = keyring(tmp_path, 1).protect(plain(), mode=Mode.MAC)
    assert _proof(keyring(tmp_path, 2, 3), retired) is Proof.UNKNOWN_KEY


def test_a_tag_of_another_length_is_forged(tmp_path: Path) -> None:
    ring = keyring(tmp_path)
    sent = plain()._replace(key_id=1, tag=b"x" * 64)
    assert ring.verify(sent, b"", mode=Mode.MAC) is Proof.FORGED
    assert ring.verify(sent._replace(is_sealed=True), b"", mode=Mode.AEAD) is Proof.FORGED


def test_new_keys_count_after_a_reload_and_old_ones_no_more(tmp_path: Path) -> None:
    ring = keyring(tmp_path, 1)
    first = ring.protect(plain(), mode=Mode.MAC)
    replace_keys(tmp_path / "keys", keys(2, 3))
    assert _proof(ring, first) is Proof.AUTHENTIC
    reloaded = ring.reload()
    assert reloaded.is_fresh
    assert reloaded.sentence.endswith("keys 2 and 3, before key 1")
    assert _proof(ring, first) is Proof.UNKNOWN_KEY
    assert decode(ring.protect(plain(), mode=Mode.MAC)).key_id == 3


@pytest.mark.parametrize("fault", ["damaged", "open", "gone"])
def test_a_broken_file_keeps_the_old_keys_and_says_so(tmp_path: Path, fault: str) -> None:
    ring = keyring(tmp_path, 1)
    path = tmp_path / "keys"
    if fault == "damaged":
        path.write_bytes(b"{")
    elif fault == "open":
        path.chmod(0o644)
    else:
        path.unlink()
    reloaded = ring.reload()
    assert not reloaded.is_fresh
    assert reloaded.sentence.startswith("kept key 1: ")
    assert str(path) in reloaded.sentence
    assert _proof(ring, ring.protect(plain(), mode=Mode.MAC)) is Proof.AUTHENTIC


def test_a_member_with_its_own_key_only_can_speak_and_for_nobody_else(tmp_path: Path) -> None:
    agent = keyring(tmp_path, 1)
    own = key_file(tmp_path, narrowed(keys(1), group="dev", maybe_name="alice"), "alice")
    alice = Keyring(own)
    assert _proof(agent, alice.protect(plain(), mode=Mode.MAC)) is Proof.AUTHENTIC
    assert _proof(agent, alice.protect(plain(sender="alice#2"), mode=Mode.MAC)) is Proof.AUTHENTIC
    for foreign in (plain(sender="bob#1"), plain(group="ops")):
        with pytest.raises(KeysError, match="alice in dev"):
            alice.protect(foreign, mode=Mode.MAC)
    assert _proof(alice, agent.protect(plain(sender="bob#1"), mode=Mode.MAC)) is Proof.UNKNOWN_KEY


def test_a_reader_with_the_groups_key_opens_what_the_topics_keep_sealed(tmp_path: Path) -> None:
    agent = keyring(tmp_path, 1)
    sealed = agent.protect(plain(), mode=Mode.AEAD)
    tagged = agent.protect(plain(), mode=Mode.MAC)
    reader = Keyring(key_file(tmp_path, narrowed(keys(1), group="dev", maybe_name=None), "group"))
    assert reader.maybe_open(decode(sealed), sealed) == b"hello"
    assert reader.maybe_open(decode(tagged), tagged) is None
    stranger = keyring(tmp_path, 2)
    assert stranger.maybe_open(decode(sealed), sealed) is None


def test_strangers_can_not_push_a_known_sender_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ring = keyring(tmp_path, 1)
    honest = ring.protect(plain(), mode=Mode.MAC)
    for number in range(20):
        forged = honest.replace(b"alice", b"z%04d" % number)
        assert _proof(ring, forged) is Proof.FORGED
    derived: list[object] = []
    monkeypatch.setattr("ingest.authentication.keyring.used_key", derived.append)
    assert _proof(ring, honest) is Proof.AUTHENTIC
    assert not derived


def test_what_is_remembered_is_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bounds, "KNOWN_SENDERS", 3)
    ring = keyring(tmp_path, 1)
    for number in range(10):
        datagram = ring.protect(plain(sender=f"m{number}#1"), mode=Mode.MAC)
        assert _proof(ring, datagram) is Proof.AUTHENTIC
    assert len(ring._live.known) == 3


def test_a_keyring_shows_ids_and_no_key(tmp_path: Path) -> None:
    ring = keyring(tmp_path, 1, 2)
    assert "keys 1 and 2" in repr(ring)
    assert keys(1).newest.secret.reveal().hex() not in repr(vars(ring))
