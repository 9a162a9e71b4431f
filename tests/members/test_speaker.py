import json
import subprocess
import sys
import threading
import time
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ingest.authentication.keyring import Proof
from ingest.authentication.mode import Mode
from ingest.wire.envelope import Kind, decode
from ingest.wire.multicast import LOOPBACK_INTERFACE, open_receiver
from members.errors import ScriptError
from members.script import Line, parse_script
from members.speaker import Speaker, main, speak
from ordering.stamps import CausalStamps
from tests.ingest.keys import keyring
from tests.ingest.loopback import new_group

SCRIPT = """\
{"group": "dev", "sender": "alice", "seq": 1, "parent": null, "at": 0, "data": "hello"}
{"group": "dev", "sender": "bob", "seq": 1, "parent": ["alice", 1], "at": 1, "data": "grüße"}
{"group": "dev", "sender": "alice", "seq": 2, "parent": ["bob", 1], "at": 2.5, "data": "bye"}
"""
START_AT = 1_000_000_000


def _lines(name: str) -> tuple[Line, ...]:
    return parse_script(SCRIPT.splitlines(), source="talk").spoken_by(name)


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "talk.jsonl"
    path.write_text(SCRIPT, encoding="utf-8")
    return path


def test_each_line_is_said_at_its_time_and_not_before() -> None:
    speaker = Speaker(_lines("alice"), start_at=START_AT, speed=1)
    assert speaker.due(now=START_AT - 1) == []
    assert [decode(datagram).seq for datagram in speaker.due(now=START_AT)] == [1]
    assert speaker.next_deadline() == START_AT + 2_500_000
    assert speaker.due(now=START_AT + 2_499_999) == []
    assert [decode(datagram).seq for datagram in speaker.due(now=START_AT + 2_500_000)] == [2]
    assert speaker.next_deadline() is None
    assert speaker.sent == 2


def test_a_line_carries_its_group_parent_text_and_planned_time() -> None:
    (datagram,) = Speaker(_lines("bob"), start_at=START_AT, speed=2).due(now=2 * START_AT)
    envelope = decode(datagram)
    assert envelope.kind is Kind.MESSAGE
    assert (envelope.group, envelope.sender, envelope.seq) == ("dev", "bob#1", 1)
    assert envelope.parents == (("alice#1", 1),)
    assert envelope.payload.decode() == "grüße"
    assert envelope.sent_at == START_AT + 500_000


@given(st.floats(0.01, 10_000), st.integers(0, 2**50))
def test_a_member_that_starts_again_says_the_same_bytes(speed: float, start_at: int) -> None:
    once, again = (
        Speaker(_lines("alice"), start_at=start_at, speed=speed).due(now=2**60) for _ in range(2)
    )
    assert once == again
    assert len(once) == 2


def test_a_clock_becomes_the_stamps_of_a_causal_group() -> None:
    row = {"group": "g", "sender": "b", "seq": 1, "parent": None, "at": 0, "data": "x"}
    lines = parse_script([json.dumps(row | {"clock": {"a": 3, "b": 1}})], source="talk").lines
    (datagram,) = Speaker(lines, start_at=0, speed=1).due(now=0)
    stamps = decode(datagram).stamps
    assert isinstance(stamps, CausalStamps)
    assert dict(zip(stamps.members, stamps.csn, strict=True)) == {"a#1": 4, "b#1": 1}


def test_a_line_that_is_lost_is_never_sent_and_the_others_are(script: Path) -> None:
    group = new_group()
    receiver = open_receiver(
        group, interface=LOOPBACK_INTERFACE, buffer_bytes=100_000, wait_at_most_s=10.0
    ).socket
    with closing(receiver):
        arguments = ["--script", str(script), "--member", "alice", "--lose", "1", "--speed", "1e9"]
        address = ["--group-address", group.address, "--port", str(group.port)]
        assert main([*arguments, *address, "--start-at", "0"]) == 0
        assert decode(receiver.recv(1_000)).seq == 2


@pytest.mark.parametrize("speed", [0, -1, float("nan")])
def test_a_speed_that_never_arrives_is_refused(speed: float) -> None:
    with pytest.raises(ScriptError, match="above 0"):
        Speaker(_lines("alice"), start_at=0, speed=speed)


def test_what_is_due_goes_out_by_multicast() -> None:
    group = new_group()
    speaker = Speaker(_lines("alice"), start_at=0, speed=1)
    receiver = open_receiver(
        group, interface=LOOPBACK_INTERFACE, buffer_bytes=100_000, wait_at_most_s=10.0
    ).socket
    with closing(receiver):
        speak(speaker, to=group, interface=LOOPBACK_INTERFACE, is_stopping=threading.Event())
        heard = [decode(receiver.recv(1_000)).payload for _ in range(2)]
    assert heard == [b"hello", b"bye"]


def test_a_speaker_with_keys_tags_every_line(tmp_path: Path, script: Path) -> None:
    ring = keyring(tmp_path)
    group = new_group()
    receiver = open_receiver(
        group, interface=LOOPBACK_INTERFACE, buffer_bytes=100_000, wait_at_most_s=10.0
    ).socket
    arguments = {
        "--script": str(script), "--member": "bob", "--group-address": group.address,
        "--port": str(group.port), "--start-at": "0", "--mode": "aead",
        "--keys-file": str(tmp_path / "keys"),
    }  # fmt: skip
    with closing(receiver):
        assert main([word for pair in arguments.items() for word in pair]) == 0
        datagram = receiver.recv(1_000)
    envelope = decode(datagram)
    assert ring.verify(envelope, datagram, mode=Mode.AEAD) is Proof.AUTHENTIC
    assert ring.maybe_open(envelope, datagram) == "grüße".encode()


def test_a_speaker_that_is_stopped_says_no_more() -> None:
    far_off = (time.time_ns() // 1_000) + 10**12
    speaker = Speaker(_lines("alice"), start_at=far_off, speed=1)
    is_stopping = threading.Event()
    is_stopping.set()
    speak(speaker, to=new_group(), interface=LOOPBACK_INTERFACE, is_stopping=is_stopping)
    assert speaker.sent == 0


def test_a_member_is_a_process_of_its_own(script: Path) -> None:
    group = new_group()
    done = subprocess.run(
        [sys.executable, "-m", "members.speaker", "--script", script, "--member", "bob",
         "--group-address", group.address, "--port", str(group.port), "--start-at", "0"],
        capture_output=True, text=True, check=True, timeout=60,
    )  # fmt: skip
    assert json.loads(done.stdout) == {"ok": True, "member": "bob", "sent": 1}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"--member": "zoe"}, "zoe"),
        ({"--script": "none.jsonl"}, "none.jsonl"),
        ({"--group-address": "10.0.0.1"}, "multicast address"),
        ({"--interface": "192.0.2.1"}, "interface"),
        ({"--speed": "0"}, "above 0"),
        ({"--mode": "mac"}, "--keys-file"),
        ({"--mode": "mac", "--keys-file": "none.keys"}, "none.keys"),
    ],
)
def test_what_can_not_be_is_one_sentence_and_the_exit_code_of_the_configuration(
    changes: dict[str, str], said: str, script: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    group = new_group()
    arguments = {
        "--script": str(script), "--member": "bob", "--group-address": group.address,
        "--port": str(group.port), "--start-at": "0",
    } | changes  # fmt: skip
    assert main([word for pair in arguments.items() for word in pair]) == 4
    complaint = capsys.readouterr().err
    assert said in complaint
    assert complaint.count("\n") == 1
