"""Laws of real members: processes on the loopback, behind a bad network, killed and restarted."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from ingest.faults import Faults, Loss
from ingest.relay import Relay
from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress
from members.events import Delivered, Synchronised
from members.participant import Participant, main, percentile
from ordering.values import GroupId, MemberId, MessageId
from tests.ingest.loopback import new_group, wait_until
from tests.members.member_process import MemberProcess

NAMES = ("alice", "bob", "carol", "dave", "erin")
MESSAGES = 40


@contextmanager
def relaying(faults: Faults) -> Iterator[tuple[GroupAddress, GroupAddress]]:
    """A relay between what members say and what they hear."""
    source, target = new_group(), new_group()
    relay = Relay(faults, source=source, target=target, interface=LOOPBACK_INTERFACE)
    is_stopping = threading.Event()
    thread = threading.Thread(target=relay.run, kwargs={"is_stopping": is_stopping})
    thread.start()
    try:
        yield source, target
    finally:
        is_stopping.set()
        thread.join()


@pytest.mark.kill
def test_five_members_behind_a_bad_network_end_equal_though_one_is_killed_and_restarted(
    tmp_path: Path,
) -> None:
    faults = Faults(seed=7, loss=0.1, duplication=0.1, jitter_us=20_000, loss_is=Loss.FOR_GOOD)
    with relaying(faults) as (speaks, listens):
        way = ["--address", str(speaks), "--listen", str(listens)]
        talk = ["--messages", str(MESSAGES), "--per-second", "20"]
        running = {}
        for number, name in enumerate(NAMES):
            first = ["--create"] if number == 0 else []
            more = [*way, *talk, *first, "--seed", str(number)]
            running[name] = MemberProcess(name, "--texts", *more, incarnations=tmp_path)
        watcher = MemberProcess("watcher", "--texts", *way, "--seed", "9", incarnations=tmp_path)
        running["carol"].kill()
        running["carol"] = MemberProcess(
            "carol", "--texts", *way, *talk, "--seed", "12", incarnations=tmp_path
        )
        wait_until(lambda: are_equal([*running.values()], watcher))
        ended = [process.end() for process in (*running.values(), watcher)]
    sets = [frozenset(result["delivered"]) for result in ended]
    assert sets == [sets[0]] * len(sets)
    assert all(len(result["delivered"]) == len(set(result["delivered"])) for result in ended)
    senders = {message_id.rpartition(":")[0] for message_id in sets[0]}
    assert {"alice#1", "bob#1", "carol#2", "dave#1", "erin#1"} <= senders
    assert len(sets[0]) >= MESSAGES * len(NAMES)


def are_equal(talking: list[MemberProcess], watcher: MemberProcess) -> bool:
    """Tell whether all has been said, and everybody has delivered the same."""
    statuses = [process.status() for process in (*talking, watcher)]
    is_all_said = all(status["sent"] == MESSAGES for status in statuses[:-1])
    return is_all_said and len({status["digest"] for status in statuses}) == 1


def test_a_bad_address_ends_in_one_sentence(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--name", "alice", "--address", "10.0.0.1:5080"]) == 4
    assert capsys.readouterr().err.count("\n") == 1


def test_a_name_that_cannot_be_sent_ends_in_one_sentence(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["--name", "", "--address", str(new_group())]) == 1
    assert capsys.readouterr().err.count("\n") == 1


def test_it_answers_only_what_was_delivered_to_it() -> None:
    participant = Participant(seed=1, keeps_texts=True)
    assert participant.choose() == ()
    message_id = MessageId(MemberId("bob#1"), 1)
    participant.on_event(Delivered(GroupId("dev"), message_id, (), b"hi", 1, 0))
    participant.on_event(Synchronised(GroupId("dev")))
    assert {participant.choose() for _ in range(50)} == {(), (message_id,)}
    assert participant.texts == ["hi"]
    assert participant.is_synchronised
    assert participant.status()["delivered"] == 1


def test_percentiles_of_few_values_are_values() -> None:
    assert percentile([], 50) == 0
    assert percentile([7], 99) == 7
    assert percentile(list(range(100)), 50) == 50
    assert percentile(list(range(100)), 99) == 99
