"""Members of a protected group hear each other and nobody else, and an agent lets them pass."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from ingest.authentication.derivation import narrowed
from ingest.authentication.gate import open_gate
from ingest.authentication.keyring import Keyring
from ingest.authentication.mode import GroupModes, Mode
from ingest.authentication.settings import AuthenticationSettings
from ingest.wire.envelope import Kind, decode
from members.events import Delivered
from members.keyed_post import keyed_post
from members.routing import GroupManager
from ordering.values import GroupId
from tests.ingest.keys import key_file, keys

DEV = GroupId("dev")
STEP_US = 100_000
STEPS = 50


class Room:
    """Members in one room: what one sends, all others hear at once."""

    def __init__(self, *members: GroupManager) -> None:
        self.members = members
        self.sent: list[bytes] = []
        self.texts: dict[str, list[str]] = {member.name: [] for member in members}
        self.now = 1_760_000_000_000_000

    def tell(self, speaker: GroupManager, datagrams: list[bytes]) -> None:
        waiting = [(speaker, datagram) for datagram in datagrams]
        while waiting:
            sender, datagram = waiting.pop(0)
            self.sent.append(datagram)
            for member in self.members:
                if member is not sender:
                    effects = member.receive(datagram, now=self.now)
                    self._note(member, effects.events)
                    waiting += [(member, answer) for answer in effects.datagrams]

    def say(self, speaker: GroupManager, text: str) -> None:
        effects = speaker.send(DEV, text, now=self.now)
        self._note(speaker, effects.events)
        self.tell(speaker, effects.datagrams)

    def wait(self) -> None:
        for _ in range(STEPS):
            self.now += STEP_US
            for member in self.members:
                effects = member.advance(self.now)
                self._note(member, effects.events)
                self.tell(member, effects.datagrams)

    def _note(self, member: GroupManager, events: Sequence[object]) -> None:
        told = [event.text for event in events if isinstance(event, Delivered)]
        self.texts[member.name] += told


def _member(name: str, path: Path, mode: Mode, seed: int) -> GroupManager:
    post = keyed_post(Keyring(path), GroupModes((f"dev={mode}",), default=Mode.NONE))
    return GroupManager(name, incarnation=1, seed=seed, post=post)


@pytest.mark.parametrize("mode", [Mode.MAC, Mode.AEAD])
def test_members_hear_each_other_and_a_stranger_hears_and_says_nothing(
    tmp_path: Path, mode: Mode
) -> None:
    site = key_file(tmp_path, keys(1))
    group = key_file(tmp_path, narrowed(keys(1), group="dev", maybe_name=None), "group")
    alice, bob = (_member(name, group, mode, seed) for seed, name in enumerate(("alice", "bob")))
    mallory = GroupManager("mallory", incarnation=1, seed=3)
    room = Room(alice, bob, mallory)
    room.tell(alice, alice.create(DEV, now=room.now).datagrams)
    room.tell(mallory, mallory.join(DEV, now=room.now).datagrams)
    room.say(alice, "before bob came")
    room.tell(bob, bob.join(DEV, now=room.now).datagrams)
    room.wait()
    room.say(bob, "here I am")
    room.say(mallory, "sell everything")
    room.wait()

    assert room.texts["alice"] == room.texts["bob"] == ["before bob came", "here I am"]
    assert alice.refused["bad_tag"] > 0
    if mode is Mode.AEAD:
        assert "before bob came" not in room.texts["mallory"]
        assert not any(b"bob came" in datagram for datagram in room.sent)

    gate = open_gate(AuthenticationSettings(groups=(f"dev={mode}",), keys_file=site))
    for datagram in room.sent:
        envelope = decode(datagram)
        is_strange = envelope.sender.startswith("mallory") and envelope.group == DEV
        assert (gate.authenticate(envelope, datagram) is None) is not is_strange
    assert {decode(datagram).kind for datagram in room.sent} >= {
        Kind.MESSAGE,
        Kind.GROUP_MANAGEMENT,
        Kind.SYNCHRONISATION,
    }
