"""Laws of the room: what the network tells becomes what the screen shows."""

from __future__ import annotations

import pytest

from console.chat.room import CATCHING_UP, Room
from console.chat.talk import Spoken, Talk
from ingest.wire.errors import WireError
from members.events import (
    ArchiveRead,
    Gap,
    GroupSeen,
    MemberEvent,
    MemberFailed,
    MemberJoined,
    MemberLeft,
    Synchronised,
    Unanswered,
)
from members.simulated_archive import SimulatedService
from members.simulated_transport import SimulatedNetwork
from ordering.values import GroupId, MemberId
from tests.console.chatting import opened

DEV = GroupId("dev")
BOB = MemberId("bob#1")


def room_with(*events: MemberEvent, has_service: bool = False) -> Room:
    archive = SimulatedService().archive() if has_service else None
    member = opened(SimulatedNetwork(seed=1), "alice", maybe_archive=archive)
    changed: list[Talk] = []
    spoken: list[Spoken] = []
    room = Room(member, on_spoken=lambda _, one: spoken.append(one), on_change=changed.append)
    for event in events:
        room._hear(event)
    assert len(changed) == len(events)
    return room


def test_a_seen_group_is_listed_with_who_is_in_it() -> None:
    room = room_with(GroupSeen(DEV, "those who\x1b build", "semantic", "causal", (BOB,)))
    talk = room.talks["dev"]
    assert (talk.description, talk.members, talk.is_joined) == ("those who� build", {"bob"}, False)


def test_members_come_and_go_and_one_is_not_counted_oneself() -> None:
    joined = MemberJoined(DEV, BOB), MemberJoined(DEV, MemberId("alice#1"))
    assert room_with(*joined).talks["dev"].members == {"bob"}
    assert room_with(*joined, MemberLeft(DEV, BOB)).talks["dev"].members == set()


@pytest.mark.parametrize(
    ("events", "has_service", "missing", "state"),
    [
        ([Gap(DEV, ((BOB, (3, 5)),))], False, 3, ""),
        ([Gap(DEV, ((BOB, (3, 5)),)), Synchronised(DEV)], False, 0, "up to date"),
        ([Unanswered(DEV, ())], False, 0, "nobody answers"),
        ([Unanswered(DEV, ((BOB, (3, 3)),))], False, 1, "nobody has the rest"),
        ([Unanswered(DEV, ())], True, 0, "nobody answers; asking the service"),
        ([ArchiveRead(DEV, 12)], True, 0, "12 from the service"),
        ([ArchiveRead(DEV, 0, "the disk is away")], True, 0, "the disk is away"),
        ([MemberFailed(DEV, BOB)], False, 0, "bob is silent"),
    ],
)
def test_the_state_is_told_in_a_few_words(
    events: list[MemberEvent], has_service: bool, missing: int, state: str
) -> None:
    talk = room_with(*events, has_service=has_service).talks["dev"]
    assert (talk.missing, talk.state) == (missing, state)


def test_a_group_that_can_not_be_joined_is_not_shown_as_joined() -> None:
    room = room_with()
    with pytest.raises(WireError):
        room.join("x" * 300)
    assert not room.talks["x" * 300].is_joined
    assert CATCHING_UP not in room.talks["x" * 300].line
