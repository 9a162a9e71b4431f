from pathlib import Path

import pytest

from ingest.authentication.mode import GroupModes, Mode
from ingest.wire.envelope import Kind, decode, encode
from members.events import Delivered, Effects
from members.keyed_post import keyed_post
from members.routing import GroupManager
from tests.ingest.keys import keyring
from tests.members.company import DEV, START_AT


def members(folder: Path, mode: Mode) -> tuple[GroupManager, GroupManager]:
    modes = GroupModes((f"{DEV}={mode.value}",), default=Mode.NONE)
    alice, bob = (
        GroupManager(name, incarnation=1, seed=1, post=keyed_post(keyring(folder), modes))
        for name in ("alice", "bob")
    )
    give(bob, alice.create(DEV, now=START_AT))
    give(alice, bob.join(DEV, now=START_AT))
    return alice, bob


def give(to: GroupManager, effects: Effects) -> list[str]:
    """Let one hear what another sends; give the texts that this delivers."""
    events = [
        event
        for datagram in effects.datagrams
        for event in to.receive(datagram, now=START_AT).events
    ]
    return [event.text for event in events if isinstance(event, Delivered)]


@pytest.mark.parametrize("mode", list(Mode))
def test_members_with_the_same_keys_hear_each_other(tmp_path: Path, mode: Mode) -> None:
    alice, bob = members(tmp_path, mode)
    sent = alice.send(DEV, "hello", now=START_AT)
    assert (b"hello" in sent.datagrams[0]) == (mode is not Mode.AEAD)
    assert give(bob, sent) == ["hello"]
    assert not bob.refused


@pytest.mark.parametrize("mode", [Mode.MAC, Mode.AEAD])
def test_what_is_forged_or_changed_or_untagged_is_counted_and_changes_nothing(
    tmp_path: Path, mode: Mode
) -> None:
    alice, bob = members(tmp_path, mode)
    (datagram,) = alice.send(DEV, "hello", now=START_AT).datagrams
    envelope = decode(datagram)
    untagged = encode(envelope._replace(tag=b"", key_id=0, is_sealed=False))
    for forged in (datagram.replace(b"alice", b"carol"), untagged):
        assert bob.receive(forged, now=START_AT).events == []
    assert bob.refused == {"bad_tag": 2}
    assert bob.memberships[DEV].holdings.had == {}


def test_a_page_cannot_hold_what_its_sender_did_not_say(tmp_path: Path) -> None:
    alice, bob = members(tmp_path, Mode.MAC)
    give(bob, alice.send(DEV, "hello", now=START_AT))
    late = GroupManager(
        "carol",
        incarnation=1,
        seed=3,
        post=keyed_post(keyring(tmp_path), GroupModes((f"{DEV}=mac",), default=Mode.NONE)),
    )
    later = START_AT + 1_000_000
    for datagram in late.join(DEV, now=later).datagrams:
        bob.receive(datagram, now=later)
    answers = bob.advance(later + 1_000_000)
    pages = [one for one in answers.datagrams if decode(one).kind is Kind.SYNCHRONISATION]
    assert any(b"hello" in page for page in pages)
    for page in pages:
        late.receive(page.replace(b"hello", b"jello"), now=START_AT)
    assert late.memberships[DEV].holdings.had == {}
    heard = [text for page in pages for text in _texts(late.receive(page, now=START_AT))]
    assert heard == ["hello"]


def _texts(effects: Effects) -> list[str]:
    return [event.text for event in effects.events if isinstance(event, Delivered)]
