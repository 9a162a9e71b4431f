"""Kill, freeze or restart parts of the whole service in mid-run: agent, broker, job.

    capture file -> agent -> broker -> job -> ordered topic, tables

The file stands for the network, because it loses nothing: whatever it has must be delivered, once
and in order, whoever was broken. A part that ends because another is away is started again by the
same command, as any supervisor does, and that is counted.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from contextlib import ExitStack
from enum import StrEnum
from pathlib import Path
from typing import NamedTuple

from deploy.local.broker import Broker
from deploy.local.child import Child
from ingest.files.link_layers import ETHERNET
from ingest.wire.envelope import decode
from ingest.wire.errors import WireError
from sinks.kafka_client import end_offsets
from sinks.settings import KafkaSettings
from tests.conversations import shuffled_conversation
from tests.end_to_end.arrivals import Seen
from tests.end_to_end.driver import Driver
from tests.end_to_end.outcome import Outcome, outcome_of
from tests.end_to_end.readers import OrderedReader, TableReader, TableSeen
from tests.ingest.capture_files import BEGINNING_S, IPV4_GROUP, Record, framed, ip, pcap, udp
from tests.topic_tools import delivered_order, new_topics

PATIENCE_SECONDS = 600.0
FROZEN_SECONDS = 5.0
SHARE_BEFORE_FAULT = 0.2
MESSAGES_PER_SECOND = 4_000
OFFSETS_PER_BATCH = 25_000
# How far a message may be out of its place in the log: some fifteen places within its group.
JITTER = 600


class How(StrEnum):
    """What is done to a part."""

    KILL = "kill"
    STOP = "stop"
    CLEAN = "clean"


class Whom(StrEnum):
    """Which part."""

    BROKER = "broker"
    DRIVER = "driver"
    AGENT = "agent"


class CellResult(NamedTuple):
    """What one run came to."""

    faults: Sequence[tuple[How, Whom]]
    messages: int
    delivered_before: Sequence[int]
    """how many records were in the ordered topic at each fault"""
    starts_of_driver: int
    starts_of_agent: int
    not_captured: int
    """messages of the file that were not delivered, whatever the raw topic has"""
    outcome: Outcome
    topic: Seen
    table: TableSeen
    seconds: float

    @property
    def ok(self) -> bool:
        """Was every promise kept?"""
        kept = self.outcome.ok and self.topic.is_kept and self.table.is_kept
        return kept and not self.not_captured


class Part:
    """A process that is always started by the same command, and again when it has ended."""

    def __init__(self, start: Callable[[], Child]) -> None:
        self._start = start
        self.starts = 0
        self.restart()

    def restart(self) -> None:
        """Start it, for the first time or again."""
        self.child = self._start()
        self.starts += 1

    def keep(self) -> None:
        """Start it again if it has ended badly."""
        if self.child.exit_code not in (None, 0):
            self.child.kill()
            self.restart()

    def break_it(self, how: How) -> None:
        """Do it, and let it go on."""
        if how is How.STOP:
            self.child.pause()
            time.sleep(FROZEN_SECONDS)
            self.child.resume()
            return
        if how is How.KILL:
            self.child.kill()
        else:
            self.child.stop(grace_seconds=60)
        self.restart()


def run_cell(
    faults: Sequence[tuple[How, Whom]],
    directory: Path,
    *,
    messages: int,
    seed: int,
    messages_per_second: int = MESSAGES_PER_SECOND,
) -> CellResult:
    """Run the whole service over a file of so many messages, and break parts of it on the way."""
    began_at = time.monotonic()
    conversation = shuffled_conversation(
        seed=seed, groups=40, messages=messages, jitter=min(JITTER, messages // 10)
    )
    log = [value for value in conversation if _is_message(value)]
    wanted = len(set(log))
    file = directory / "captured.pcap"
    file.write_bytes(captured(log, messages_per_second=messages_per_second))
    with ExitStack() as running:
        broker = running.enter_context(Broker())
        kafka = new_topics(broker.bootstrap)
        driver = Driver(kafka, directory)
        job = Part(lambda: driver.start(most_messages=OFFSETS_PER_BATCH))
        running.callback(lambda: job.child.stop())
        topic = running.enter_context(OrderedReader(kafka))
        table = running.enter_context(TableReader(driver.tables))
        wait_until(lambda: "ready" in job.child.last_lines(), job)
        agent = Part(lambda: start_agent(kafka, directory, file))
        running.callback(lambda: agent.child.stop())
        delivered_before = []
        for number, (how, whom) in enumerate(faults, start=1):
            before = wanted * SHARE_BEFORE_FAULT * number
            wait_until(lambda before=before: topic.count > before, job, agent)  # type: ignore[misc]
            delivered_before.append(topic.count)
            if whom is Whom.BROKER:
                break_broker(broker, how)
            else:
                {Whom.DRIVER: job, Whom.AGENT: agent}[whom].break_it(how)
        wait_until(lambda: agent.child.exit_code == 0, job, agent)
        wait_until(lambda: table.seen.rows >= wanted, job, agent)
        assert job.child.stop(grace_seconds=180) == 0, job.child.last_lines(40)
        end = sum(end_offsets(kafka, kafka.topics.ordered).values())
        wait_until(lambda: topic.count == end, agent)
        table.look()
        delivered = {value for sequence in delivered_order(kafka).values() for value in sequence}
        return CellResult(
            faults, wanted, delivered_before, job.starts, agent.starts, len(set(log) - delivered),
            outcome_of(kafka, driver.tables), topic.seen(), table.seen,
            round(time.monotonic() - began_at, 1),
        )  # fmt: skip


def wait_until(is_so: Callable[[], bool], *parts: Part) -> None:
    """Wait for a condition; whoever ends badly meanwhile is started again."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not is_so():
        for part in parts:
            part.keep()
        assert time.monotonic() < deadline, [part.child.last_lines(30) for part in parts]
        time.sleep(0.2)


def break_broker(broker: Broker, how: How) -> None:
    """Do it, and let it go on."""
    if how is How.STOP:
        broker.pause()
        time.sleep(FROZEN_SECONDS)
        broker.resume()
        return
    if how is How.KILL:
        broker.kill()
    broker.restart()


def start_agent(kafka: KafkaSettings, directory: Path, file: Path) -> Child:
    """`precede agent --file` as an operator starts it."""
    address = f"{IPV4_GROUP.address}:{IPV4_GROUP.port}"
    command = [sys.executable, "-m", "console", "agent", "--file", str(file)]
    command += ["--pace", "recorded", "--group", address, "--bootstrap", kafka.bootstrap]
    command += ["--topic-prefix", kafka.topic_prefix]
    command += ["--set", f"spool.directory={directory / 'spool'}", "--output", "json"]
    return Child(command, name="agent", log_file=directory / "agent.log")


def captured(log: list[bytes], *, messages_per_second: int) -> bytes:
    """A capture file with these datagrams, at this pace."""
    step_us = 1_000_000 // messages_per_second
    packets = [framed(ip(udp(value)), ETHERNET) for value in log]
    start = BEGINNING_S * 1_000_000
    records = (
        Record(packet, start + number * step_us, len(packet))
        for number, packet in enumerate(packets)
    )
    return pcap(records, ETHERNET)


def _is_message(value: bytes) -> bool:
    try:
        decode(value)
    except WireError:
        return False
    return True
