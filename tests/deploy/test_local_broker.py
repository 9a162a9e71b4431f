"""Laws of the local broker: it answers when it says so, keeps its data, and leaves nothing."""

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from confluent_kafka import Consumer, KafkaException, Producer, TopicPartition

from deploy.errors import BrokerFailedError, DirectoryUnfitError, PortBusyError
from deploy.local import broker as broker_module
from deploy.local.broker import Broker
from deploy.local.ports import free_ports
from deploy.local.topics import TopicSpec, admin_client, create_topics

PATIENCE_SECONDS = 60.0
PARTITIONS = 2
RECORDS = 500


def answers(broker: Broker, *, within_seconds: float = 10.0) -> bool:
    try:
        return bool(admin_client(broker.bootstrap).list_topics(timeout=within_seconds).brokers)
    except KafkaException:
        return False


def fill(broker: Broker, topic: str) -> None:
    create_topics(broker.bootstrap, [TopicSpec(name=topic, partitions=PARTITIONS)])
    producer = Producer({"bootstrap.servers": broker.bootstrap, "acks": "all"})
    for number in range(RECORDS):
        producer.produce(topic, str(number).encode(), partition=number % PARTITIONS)
    assert producer.flush(PATIENCE_SECONDS) == 0


def content(broker: Broker, topic: str) -> list[int]:
    consumer = Consumer({"bootstrap.servers": broker.bootstrap, "group.id": "unused"})
    consumer.assign([TopicPartition(topic, partition, 0) for partition in range(PARTITIONS)])
    found: list[int] = []
    deadline = time.monotonic() + PATIENCE_SECONDS
    while len(found) < RECORDS and time.monotonic() < deadline:
        for record in consumer.consume(num_messages=RECORDS, timeout=0.2):
            value = record.value()
            if record.error() is None and value is not None:
                found.append(int(value))
    consumer.close()
    return sorted(found)


@pytest.fixture(scope="module")
def lone(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Broker]:
    """A broker that a test may kill without harm to the tests of others; its data is kept."""
    with Broker(tmp_path_factory.mktemp("lone"), keep=True) as running:
        yield running


def test_a_busy_port_that_was_asked_for_is_named() -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(PortBusyError, match=f"Port {port} is taken"):
            Broker(port=port).start()


def test_a_directory_that_cannot_be_written_is_one_clear_error(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(DirectoryUnfitError, match="cannot write in"):
        Broker(tmp_path / "file" / "data").start()


def test_a_broker_that_was_not_started_says_so() -> None:
    with pytest.raises(BrokerFailedError, match="call start"):
        _ = Broker().bootstrap
    with pytest.raises(BrokerFailedError, match="call start"):
        Broker().kill()
    Broker().close()


@pytest.mark.broker
def test_an_open_context_means_that_the_broker_answers(broker: Broker) -> None:
    assert broker.is_running
    assert answers(broker)


@pytest.mark.broker
@pytest.mark.kill
def test_what_was_acknowledged_survives_a_kill_and_a_restart_on_the_same_port(lone: Broker) -> None:
    fill(lone, "survivor")
    before = lone.bootstrap
    lone.kill()
    assert not lone.is_running
    lone.restart()
    assert lone.bootstrap == before
    assert content(lone, "survivor") == list(range(RECORDS))


@pytest.mark.broker
def test_a_paused_broker_does_not_answer_until_it_is_resumed(lone: Broker) -> None:
    lone.pause()
    try:
        assert lone.is_running
        assert not answers(lone, within_seconds=0.5)
    finally:
        lone.resume()
    assert answers(lone, within_seconds=PATIENCE_SECONDS)


@pytest.mark.broker
def test_two_brokers_never_share_a_directory_and_the_first_is_not_harmed(lone: Broker) -> None:
    with pytest.raises(DirectoryUnfitError, match="Another broker runs in"):
        Broker(lone.directory).start()
    assert answers(lone)


@pytest.mark.broker
@pytest.mark.kill
def test_kept_data_can_be_opened_again_on_other_ports_and_is_never_removed(
    tmp_path: Path, lone: Broker
) -> None:
    fill(lone, "kept")
    lone.stop()
    shutil.copytree(lone.directory, tmp_path / "copy")
    with Broker(tmp_path / "copy") as opened:
        assert opened.bootstrap != lone.bootstrap
        assert content(opened, "kept") == list(range(RECORDS))
    assert (tmp_path / "copy" / "data" / "meta.properties").is_file()
    lone.restart()


@pytest.mark.broker
def test_a_free_port_that_somebody_took_in_the_meantime_costs_only_another_try(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        offered = [[taken.getsockname()[1], free_ports(1)[0]]]
        monkeypatch.setattr(
            broker_module,
            "free_ports",
            lambda count: offered.pop() if offered else free_ports(count),
        )
        with Broker(tmp_path) as broker:
            assert not offered
            assert answers(broker)
    assert not (tmp_path / "data").exists()


@pytest.mark.broker
def test_a_broker_that_cannot_start_fails_at_once_with_the_end_of_its_log(tmp_path: Path) -> None:
    broker = Broker(tmp_path, extra={"node.id": "many"})
    with pytest.raises(BrokerFailedError, match="ended with exit code 1") as raised:
        broker.start()
    assert "Invalid value many" in str(raised.value)
    assert "\tat " not in str(raised.value)
    assert not broker.is_running


@pytest.mark.broker
@pytest.mark.kill
@pytest.mark.skipif(os.geteuid() != 0 or sys.platform != "linux", reason="needs to mount a disk")
def test_a_disk_that_fills_up_under_a_broker_is_one_clear_error(small_disk: Path) -> None:
    with Broker(small_disk, keep=True) as broker:
        create_topics(broker.bootstrap, [TopicSpec(name="heavy", partitions=1)])
        producer = Producer({"bootstrap.servers": broker.bootstrap, "log_level": 0})
        deadline = time.monotonic() + PATIENCE_SECONDS
        while broker.is_running:
            assert time.monotonic() < deadline, "the broker never noticed that its disk is full"
            producer.produce("heavy", os.urandom(500_000))
            producer.poll(0.01)
        with pytest.raises(DirectoryUnfitError, match=r"is full; free some space"):
            broker.require_running()
        producer.purge()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A disk of little more than what a broker asks for."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=96m", "tmpfs", str(tmp_path)]
    if subprocess.run(mount, check=False, capture_output=True).returncode != 0:
        pytest.skip("may not mount a disk here")
    yield tmp_path
    subprocess.run(["umount", str(tmp_path)], check=True)


PARENT = """
import time
from deploy.local.broker import Broker
with Broker() as broker:
    print(broker.pid, broker.directory, flush=True)
    time.sleep(600)
"""


@pytest.mark.broker
@pytest.mark.kill
def test_no_broker_is_left_when_its_parent_is_killed() -> None:
    with subprocess.Popen([sys.executable, "-c", PARENT], stdout=subprocess.PIPE) as parent:
        assert parent.stdout is not None
        pid, directory = parent.stdout.readline().decode().split()
        os.kill(int(pid), 0)
        parent.kill()
    deadline = time.monotonic() + PATIENCE_SECONDS
    while is_java(int(pid)):
        assert time.monotonic() < deadline, "the broker outlived its parent"
        time.sleep(0.05)
    shutil.rmtree(directory)


def is_java(pid: int) -> bool:
    """Whether the process still runs; the command of a zombie is empty."""
    shown = subprocess.run(
        ["ps", "-o", "args=", "-p", str(pid)], capture_output=True, text=True, check=False
    )
    return "kafka.Kafka" in shown.stdout
