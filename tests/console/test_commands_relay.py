from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing, contextmanager

import pytest

from console.commands.relay import READY, WhenLost
from ingest.faults import Loss
from ingest.wire.multicast import LOOPBACK_INTERFACE, open_receiver
from tests.ingest.loopback import new_group, send_all

PRECEDE = [sys.executable, "-c", "from console.command import main; main()"]
PATIENCE_S = 60


@contextmanager
def relay(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `precede relay` beside the test, and end it whatever happens."""
    process = subprocess.Popen(
        [*PRECEDE, "relay", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def test_the_words_for_a_loss_are_the_relays_own() -> None:
    assert [word.value for word in WhenLost] == [word.value for word in Loss]


def test_a_relay_runs_until_sigterm_and_then_tells_what_it_did() -> None:
    source, target = new_group(), new_group()
    far_side = open_receiver(
        target, interface=LOOPBACK_INTERFACE, buffer_bytes=1_000_000, wait_at_most_s=PATIENCE_S
    ).socket
    flags = ["--from", str(source), "--to", str(target), "--dup", "100", "--output", "json"]
    with closing(far_side), relay(*flags) as running:
        assert running.stderr is not None
        assert running.stderr.readline().startswith(READY)
        send_all([b"a", b"b"], to=source)
        heard = sorted(far_side.recv(10) for _ in range(4))
        running.send_signal(signal.SIGTERM)
        told, complaint = running.communicate(timeout=PATIENCE_S)
    assert heard == [b"a", b"a", b"b", b"b"]
    assert (running.returncode, complaint) == (0, "")
    counters = json.loads(told)
    assert counters["ok"] is True
    assert (counters["received"], counters["duplicated"], counters["forwarded"]) == (2, 2, 4)


@pytest.mark.parametrize(
    ("source", "target", "said"),
    [
        ("239.1.1.1:5", "239.1.1.1:5", "hear itself"),
        ("10.0.0.1:5", "239.1.1.1:5", "multicast address"),
    ],
)
def test_a_relay_that_can_not_be_is_one_sentence(source: str, target: str, said: str) -> None:
    with relay("--from", source, "--to", target) as running:
        told, complaint = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 4
    assert told == ""
    assert said in complaint
    assert complaint.count("\n") == 1


def test_a_chance_above_hundred_percent_is_a_usage_error() -> None:
    with relay("--from", "239.1.1.1:5", "--to", "239.1.1.1:6", "--loss", "101") as running:
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 2
