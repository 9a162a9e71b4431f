from __future__ import annotations

import json
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from console.commands.agent import READY
from deploy.local.broker import Broker
from ingest.wire.envelope import encode
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all
from tests.ingest.raw_topics import new_raw_topic, records_of

PRECEDE = [sys.executable, "-c", "from console.command import main; main()"]
PATIENCE_S = 120


@contextmanager
def agent(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `precede agent` beside the test, and end it whatever happens."""
    process = subprocess.Popen(
        [*PRECEDE, "agent", *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def _wait_until_ready(running: subprocess.Popen[str]) -> None:
    assert running.stderr is not None
    first = running.stderr.readline()
    assert first.startswith(READY), first + running.stderr.read()


def test_a_broker_that_is_not_there_is_one_sentence_and_exit_code_3() -> None:
    with agent("--bootstrap", "127.0.0.1:1", "--set", "agent.broker_away_after_ms=1000") as ended:
        told, complaint = ended.communicate(timeout=PATIENCE_S)
    assert ended.returncode == 3
    assert told == ""
    assert "127.0.0.1:1 within 1 s" in complaint
    assert complaint.count("\n") == 1


def test_an_address_that_is_no_group_is_a_configuration_error() -> None:
    with agent("--group", "10.0.0.1:5080") as ended:
        _, complaint = ended.communicate(timeout=PATIENCE_S)
    assert ended.returncode == 4
    assert "239.255.80.1:5080" in complaint


@pytest.mark.broker
@pytest.mark.parametrize("output", ["json", "table"])
def test_sigterm_drains_tells_the_counters_and_ends_with_0(output: str, broker: Broker) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    group = new_group()
    sent = [encode(plain(seq)) for seq in range(1, 101)]
    flags = [
        "--group", str(group), "--bootstrap", kafka.bootstrap, "--output", output,
        "--topic-prefix", kafka.topic_prefix, "--set", "agent.drain_within_ms=60000",
        "--set", "agent.broker_away_after_ms=60000",
    ]  # fmt: skip
    with agent(*flags) as running:
        _wait_until_ready(running)
        send_all([*sent, b"junk"], to=group)
        running.send_signal(signal.SIGTERM)
        told, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0
    assert [record.value for record in records_of(kafka) if record.key] == sent
    if output == "json":
        counters = json.loads(told)
        assert counters["ok"] is True
        assert (counters["received"], counters["published"], counters["failed"]) == (101, 101, 0)
        assert counters["malformed"] == {"too_short": 1}
    else:
        assert "malformed: too_short" in told


@pytest.mark.broker
@pytest.mark.kill
def test_a_broker_that_goes_away_is_one_sentence_and_exit_code_3() -> None:
    group = new_group()
    with Broker() as own:
        kafka, _ = new_raw_topic(own.bootstrap)
        flags = [
            "--group", str(group), "--bootstrap", kafka.bootstrap, "--output", "json",
            "--topic-prefix", kafka.topic_prefix, "--set", "agent.broker_away_after_ms=10000",
        ]  # fmt: skip
        with agent(*flags) as running:
            _wait_until_ready(running)
            own.kill()
            send_all([encode(plain())], to=group)
            told, complaint = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 3
    assert "1 of 1 captured messages" in complaint
    assert complaint.count("\n") == 1
    counters = json.loads(told)
    assert counters["ok"] is False
    assert (counters["received"], counters["published"], counters["failed"]) == (1, 0, 1)
