"""Real processes, killed at the worst moments; the outcome is the one of the oracle.

A reader is attached to the ordered topic all the time: what it saw, with repeats dropped, must be
what the topic ends with.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from itertools import chain
from pathlib import Path

import pytest

from console.verification_sources import verify_sources
from deploy.local.broker import Broker
from deploy.local.child import Child
from sinks.errors import DestinationError
from sinks.kafka_client import end_offsets, follow_topic
from sinks.records import decode_ordered
from sinks.settings import KafkaSettings
from streaming.crash_points import VARIABLE, CrashPoint
from tests.conversations import shuffled_conversation
from tests.topic_tools import delivered_order, expected_order, new_topics, produce

pytestmark = [pytest.mark.kill, pytest.mark.broker, pytest.mark.timeout(600)]

PATIENCE_SECONDS = 180.0


class Driver:
    """`precede run` as an operator starts it, always the same command."""

    def __init__(self, kafka: KafkaSettings, directory: Path) -> None:
        self._directory = directory
        self.tables = str(directory / "tables")
        self._command = [
            sys.executable, "-m", "console", "run",
            "--set", f"kafka.bootstrap={kafka.bootstrap}",
            "--set", f"kafka.topic_prefix={kafka.topic_prefix}",
            "--set", f"kafka.partitions={kafka.partitions}",
            "--set", f"job.checkpoint_directory={directory / 'checkpoint'}",
            "--set", f"job.tables_directory={self.tables}",
            "--set", f"job.scratch_directory={directory / 'spark'}",
            "--set", "job.max_offsets_per_trigger=1000",
        ]  # fmt: skip
        self.log_file = directory / "driver.log"

    def start(self, *, crash_at: str = "") -> Child:
        environment = dict(os.environ)
        if crash_at:
            environment[VARIABLE] = crash_at
        return Child(self._command, name="driver", log_file=self.log_file, environment=environment)


class Reader(threading.Thread):
    """Follows the ordered topic while everything else is killed."""

    def __init__(self, kafka: KafkaSettings) -> None:
        super().__init__(daemon=True)
        self._kafka = kafka
        self._is_over = threading.Event()
        self.seen: dict[int, list[tuple[int, bytes]]] = {}

    def run(self) -> None:
        topic = self._kafka.topics.ordered
        for records in follow_topic(self._kafka, topic, is_over=self._is_over.is_set):
            for record in records:
                kept = self.seen.setdefault(record.partition, [])
                ordinal = decode_ordered(record.value).ordinal
                if not kept or ordinal > kept[-1][0]:
                    kept.append((ordinal, record.value))

    def finish(self) -> list[bytes]:
        self._is_over.set()
        self.join()
        return [decode_ordered(value).envelope for kept in self.seen.values() for _, value in kept]


def wait_for(condition: Callable[[], bool], driver: Child, what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        driver.require_running()
        assert time.monotonic() < deadline, f"{what} took too long: {driver.last_lines(40)}"
        time.sleep(0.2)


def delivered(kafka: KafkaSettings) -> int:
    return sum(end_offsets(kafka, kafka.topics.ordered).values())


def is_complete(kafka: KafkaSettings, driver: Driver) -> bool:
    if delivered(kafka) < sum(map(len, expected_order(kafka).values())):
        return False
    try:
        report = verify_sources(kafka, driver.tables)
    except DestinationError:
        return False  # the tables are made after the first deliveries
    return report.ok and not report.counts["behind"]


def test_a_crash_between_the_tables_commit_and_sparks_own_changes_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    driver = Driver(kafka, tmp_path)
    produce(kafka, shuffled_conversation(seed=21, groups=3, messages=500))
    for point in (CrashPoint.AFTER_DELTA_COMMIT, CrashPoint.AFTER_DELIVERIES_COMMIT):
        first = driver.start(crash_at=f"{point}:1")
        code = first.wait(within_seconds=PATIENCE_SECONDS)
        first.kill()
        assert code == -signal.SIGKILL, first.last_lines(40)
    with driver.start() as last:
        wait_for(lambda: is_complete(kafka, driver), last, "catching up")
        assert last.stop(grace_seconds=60) == 0, last.last_lines(40)
    assert delivered_order(kafka) == expected_order(kafka)
    assert verify_sources(kafka, driver.tables).ok


def test_a_driver_killed_in_mid_run_loses_repeats_and_reorders_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    driver = Driver(kafka, tmp_path)
    reader = Reader(kafka)
    reader.start()
    log = shuffled_conversation(seed=22, groups=5, messages=2_000)
    produce(kafka, log[:1_300])
    with driver.start() as first:
        wait_for(lambda: delivered(kafka) > 200, first, "the first deliveries")
        first.kill()
    produce(kafka, log[1_300:])
    with driver.start() as second:
        wait_for(lambda: is_complete(kafka, driver), second, "catching up")
        assert second.stop(grace_seconds=60) == 0, second.last_lines(40)
    expected = expected_order(kafka)
    assert delivered_order(kafka) == expected
    assert sorted(reader.finish()) == sorted(chain.from_iterable(expected.values()))
    report = verify_sources(kafka, driver.tables)
    assert report.ok, report
