from __future__ import annotations

import json
import signal
import threading
import urllib.request
from pathlib import Path

import pytest

from console.commands.agent import FilePace
from deploy.local.broker import Broker
from ingest.files.source import Pace
from ingest.wire.addresses import GroupAddress
from ingest.wire.envelope import decode, encode
from ingest.wire.multicast import LOOPBACK_INTERFACE, open_sender, send
from tests.console.agent_process import PATIENCE_S, agent, wait_for_event, wait_until_ready
from tests.ingest.capture_files import IPV4_GROUP, IPV6_GROUP, ip, pcapng, records, udp
from tests.ingest.envelopes import plain
from tests.ingest.loopback import new_group, send_all, wait_until
from tests.ingest.raw_topics import messages_in, new_raw_topic


def test_a_broker_that_was_never_there_is_one_sentence_and_exit_code_3(tmp_path: Path) -> None:
    with agent(
        tmp_path, "--bootstrap", "127.0.0.1:1", "--set", "agent.broker_away_after_ms=1000"
    ) as ended:
        told, complaint = ended.communicate(timeout=PATIENCE_S)
    assert ended.returncode == 3
    assert told == ""
    assert "127.0.0.1:1 within 1 s" in complaint
    assert complaint.count("\n") == 1


def test_an_address_that_is_no_group_is_a_configuration_error(tmp_path: Path) -> None:
    with agent(tmp_path, "--group", "10.0.0.1:5080") as ended:
        _, complaint = ended.communicate(timeout=PATIENCE_S)
    assert ended.returncode == 4
    assert "239.255.80.1:5080" in complaint


@pytest.mark.broker
@pytest.mark.parametrize("output", ["json", "table"])
def test_sigterm_drains_tells_the_counters_and_ends_with_0(
    output: str, broker: Broker, tmp_path: Path
) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    group = new_group()
    sent = [encode(plain(seq)) for seq in range(1, 101)]
    flags = [
        "--group", str(group), "--bootstrap", kafka.bootstrap, "--output", output,
        "--topic-prefix", kafka.topic_prefix, "--set", "agent.drain_within_ms=60000",
        "--set", "agent.broker_away_after_ms=60000",
    ]  # fmt: skip
    with agent(tmp_path, *flags) as running:
        wait_until_ready(running)
        send_all([*sent, b"junk"], to=group)
        running.send_signal(signal.SIGTERM)
        told, _ = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0
    assert messages_in(kafka) == sent
    if output == "json":
        counters = json.loads(told)
        assert counters["ok"] is True
        assert (counters["received"], counters["published"], counters["waiting"]) == (101, 101, 0)
        assert counters["malformed"] == {"too_short": 1}
    else:
        assert "malformed: too_short" in told


def test_the_words_for_the_pace_are_those_of_the_reader() -> None:
    assert [word.value for word in FilePace] == [word.value for word in Pace]


@pytest.mark.broker
@pytest.mark.parametrize("group", [IPV4_GROUP, IPV6_GROUP])
def test_a_file_is_published_and_ends_with_0_and_a_report(
    group: GroupAddress, broker: Broker, tmp_path: Path
) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    sent = [encode(plain(seq)) for seq in range(1, 101)]
    packets = [ip(udp(data, group), group) for data in [*sent, b"junk"]]
    path = tmp_path / "capture.pcapng"
    path.write_bytes(pcapng(records([*packets, ip(b"x" * 20, protocol=6)]), 101))
    flags = [
        "--file", str(path), "--group", str(IPV4_GROUP), "--bootstrap", kafka.bootstrap,
        "--topic-prefix", kafka.topic_prefix, "--output", "json", "--pace", "recorded",
        "--set", "agent.drain_within_ms=60000", "--set", "agent.broker_away_after_ms=60000",
    ]  # fmt: skip
    with agent(tmp_path / "spool", *flags) as running:
        told, complaint = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0, complaint
    counters = json.loads(told)
    assert counters["ok"] is True
    if group == IPV4_GROUP:
        assert messages_in(kafka) == sent
        assert (counters["received"], counters["published"], counters["waiting"]) == (101, 101, 0)
        assert counters["left_out"] == {"not_udp": 1}
    else:
        assert counters["received"] == 0
        assert counters["left_out"] == {"not_udp": 1, "other_address": 101}
        assert f"take them with --group {group}" in complaint


@pytest.mark.broker
@pytest.mark.kill
def test_a_broker_that_goes_away_is_told_and_everything_is_there_when_it_is_back(
    tmp_path: Path,
) -> None:
    group = new_group()
    sent = [encode(plain(seq)) for seq in range(1, 101)]
    with Broker() as own:
        kafka, _ = new_raw_topic(own.bootstrap)
        flags = [
            "--group", str(group), "--bootstrap", kafka.bootstrap, "--output", "json",
            "--topic-prefix", kafka.topic_prefix, "--set", "agent.broker_away_after_ms=1000",
            "--set", "agent.drain_within_ms=60000",
        ]  # fmt: skip
        with agent(tmp_path, *flags) as running:
            wait_until_ready(running)
            send_all(sent[:50], to=group)
            wait_until(lambda: len(messages_in(kafka)) == 50)
            own.kill()
            send_all(sent[50:], to=group)
            wait_for_event(running, "kafka_away")
            own.restart()
            wait_for_event(running, "kafka_back")
            running.send_signal(signal.SIGTERM)
            told, _ = running.communicate(timeout=PATIENCE_S)
        assert running.returncode == 0
        assert messages_in(kafka) == sent
    counters = json.loads(told)
    assert counters["ok"] is True
    assert (counters["received"], counters["published"], counters["waiting"]) == (100, 100, 0)


@pytest.mark.broker
def test_sighup_reads_keys_and_groups_again_and_a_bad_file_changes_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    one, other = new_group(), new_group()
    file = tmp_path / "precede.toml"

    def write(*groups: object) -> None:
        names = ", ".join(f'"{group}"' for group in groups)
        file.write_text(f"[agent]\ngroups = [{names}]\n", encoding="utf-8")

    write(one)
    flags = [
        "--config", str(file), "--bootstrap", kafka.bootstrap,
        "--topic-prefix", kafka.topic_prefix, "--output", "json",
    ]  # fmt: skip
    with agent(tmp_path / "spool", *flags) as running:
        wait_until_ready(running)
        write(one, other)
        running.send_signal(signal.SIGHUP)
        event = wait_for_event(running, "groups_reloaded")
        assert (event["joined"], event["left"]) == (str(other), "")
        send_all([encode(plain(1))], to=other)
        wait_until(lambda: len(messages_in(kafka)) == 1)
        write("10.0.0.1:1")
        running.send_signal(signal.SIGHUP)
        assert "10.0.0.1" in wait_for_event(running, "reload_refused")["message"]
        send_all([encode(plain(2))], to=one)
        wait_until(lambda: len(messages_in(kafka)) == 2)
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0


@pytest.mark.broker
def test_a_running_agent_says_how_it_is(broker: Broker, tmp_path: Path) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    group = new_group()
    flags = [
        "--group", str(group), "--bootstrap", kafka.bootstrap,
        "--topic-prefix", kafka.topic_prefix, "--output", "json",
    ]  # fmt: skip
    with agent(tmp_path, *flags) as running:
        address = f"http://127.0.0.1:{wait_until_ready(running)}"
        send_all([encode(plain(seq)) for seq in range(1, 11)], to=group)
        wait_until(lambda: "precede_agent_published_total 10\n" in _get(f"{address}/metrics"))
        assert json.loads(_get(f"{address}/readyz")) == {"ok": True, "reasons": []}
        assert json.loads(_get(f"{address}/livez"))["ok"] is True
        running.send_signal(signal.SIGTERM)
        running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 0


@pytest.mark.broker
@pytest.mark.kill
def test_killed_under_load_and_started_again_it_has_published_all_that_it_called_durable(
    broker: Broker, tmp_path: Path
) -> None:
    kafka, _ = new_raw_topic(broker.bootstrap)
    group = new_group()
    flags = [
        "--group", str(group), "--bootstrap", kafka.bootstrap, "--output", "json",
        "--topic-prefix", kafka.topic_prefix, "--set", "agent.drain_within_ms=60000",
        "--set", "spool.sync_every_ms=5",
    ]  # fmt: skip
    is_over = threading.Event()
    loading = threading.Thread(target=_load, args=(group, is_over), daemon=True)
    loading.start()
    durable = 0
    for more in (1, 300, 1_000):
        with agent(tmp_path, *flags) as running:
            address = f"http://127.0.0.1:{wait_until_ready(running)}"
            wanted = durable + more
            wait_until(lambda: _durable(address) >= wanted)  # noqa: B023 (used at once)
            durable = _durable(address)
            running.kill()
    with agent(tmp_path, *flags) as last:
        wait_until_ready(last)
        is_over.set()
        loading.join()
        last.send_signal(signal.SIGTERM)
        last.communicate(timeout=PATIENCE_S)
    assert last.returncode == 0
    numbers = [decode(value).seq for value in messages_in(kafka)]
    first_seen = list(dict.fromkeys(numbers))
    assert first_seen == sorted(first_seen)
    assert len(first_seen) >= durable > 1_300


def _load(group: GroupAddress, is_over: threading.Event) -> None:
    """Multicast numbered messages until it is over."""
    seq = 0
    with open_sender(interface=LOOPBACK_INTERFACE) as sender:
        while not is_over.wait(0.005):
            for _ in range(10):
                seq += 1
                send(sender, encode(plain(seq)), to=group)


def _durable(address: str) -> int:
    name = "precede_agent_spool_durable_sequence "
    text = _get(f"{address}/metrics")
    return int(next(line for line in text.splitlines() if line.startswith(name)).split()[1])


def _get(address: str) -> str:
    with urllib.request.urlopen(address, timeout=PATIENCE_S) as answer:
        return str(answer.read().decode())
