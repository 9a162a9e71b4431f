"""What the job stands on is taken away: a worker, the broker, the disk, a file of a table."""

from __future__ import annotations

import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from deploy.local.broker import Broker
from deploy.local.child import Child
from sinks.tables import DELIVERIES
from streaming.crash_points import CrashPoint
from streaming.errors import TableError
from streaming.job import Job
from streaming.policy import group_policies
from streaming.settings import JobSettings
from tests.conversations import shuffled_conversation
from tests.end_to_end.driver import Driver
from tests.end_to_end.kills import finish
from tests.end_to_end.matrix import How, Whom, run_cell
from tests.end_to_end.outcome import outcome_of, wait_until_drained
from tests.end_to_end.readers import OrderedReader, TableReader
from tests.messages import wire
from tests.table_tools import remove_a_file
from tests.topic_tools import new_topics, produce

if TYPE_CHECKING:
    from pyspark.sql import SparkSession

pytestmark = [pytest.mark.kill, pytest.mark.broker, pytest.mark.timeout(1_800)]

PATIENCE_SECONDS = 600.0
CANNOT_CONNECT = 3


def wait_for(condition: Callable[[], bool], driver: Child, what: str) -> None:
    deadline = time.monotonic() + PATIENCE_SECONDS
    while not condition():
        driver.require_running()
        assert time.monotonic() < deadline, f"{what} took too long: {driver.last_lines(40)}"
        time.sleep(0.1)


def test_a_killed_python_worker_is_replaced_and_changes_nothing(
    broker: Broker, tmp_path: Path
) -> None:
    """Every worker dies with its third output on the way, in the middle of a batch."""
    kafka = new_topics(broker.bootstrap)
    driver = Driver(kafka, tmp_path)
    produce(kafka, shuffled_conversation(seed=61, groups=4, messages=400))
    with (
        OrderedReader(kafka) as topic,
        driver.start(crash_at=f"{CrashPoint.PYTHON_WORKER_ALONE}:3", most_messages=100) as child,
    ):
        wait_until_drained(kafka, driver.tables, child)
        assert child.stop(grace_seconds=180) == 0, child.last_lines(40)
    outcome = outcome_of(kafka, driver.tables)
    assert outcome.ok, outcome
    assert topic.seen().is_kept, topic.seen()
    died = (tmp_path / "spark" / "spark.log").read_text(errors="replace").count("crashed")
    assert died, "no worker was killed"


def test_a_frozen_and_a_killed_broker_and_a_killed_agent_cost_nothing(tmp_path: Path) -> None:
    """A little of the matrix in one run; `make soak` runs every cell with 100,000 messages."""
    faults = [(How.STOP, Whom.BROKER), (How.KILL, Whom.AGENT), (How.KILL, Whom.BROKER)]
    result = run_cell(faults, tmp_path, messages=4_000, seed=62, messages_per_second=400)
    assert result.ok, result
    assert result.starts_of_agent > 1


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    disk = tmp_path / "disk"
    disk.mkdir()
    mount = ["mount", "-t", "tmpfs", "-o", "size=24m", "tmpfs", str(disk)]
    try:
        subprocess.run(mount, check=True, capture_output=True)
    except (OSError, subprocess.CalledProcessError):
        pytest.skip("mounting a small file system needs rights that this user does not have")
    yield disk
    subprocess.run(["umount", "-l", str(disk)], check=True)


def fill(disk: Path) -> Path:
    """Leave no byte free."""
    filler = disk / "filler"
    with filler.open("wb", buffering=0) as opened:
        try:
            while True:
                opened.write(bytes(4_096))
        except OSError:
            return filler


def test_a_full_disk_ends_the_job_with_what_to_do_and_costs_nothing(
    broker: Broker, tmp_path: Path, small_disk: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    driver = Driver(kafka, tmp_path, checkpoint=small_disk / "checkpoint")
    log = shuffled_conversation(seed=63, groups=4, messages=600)
    produce(kafka, log[:300])
    with OrderedReader(kafka) as topic, TableReader(driver.tables) as table:
        with driver.start(most_messages=100) as child:
            wait_for(lambda: topic.count > 50, child, "the first deliveries")
            filler = fill(small_disk)
            produce(kafka, log[300:])
            code = child.wait(within_seconds=PATIENCE_SECONDS)
            assert code == CANNOT_CONNECT, child.last_lines(40)
            assert "disk that holds the checkpoint or the tables is full" in "\n".join(
                child.last_lines(40)
            )
        filler.unlink()
        finish(driver)
        table.look()
        assert table.seen.is_kept, table.seen
        assert topic.seen().is_kept, topic.seen()
    outcome = outcome_of(kafka, driver.tables)
    assert outcome.ok, outcome


@pytest.mark.spark
def test_a_removed_file_of_a_table_is_named_with_what_to_do(
    spark: SparkSession, broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    settings = JobSettings(
        checkpoint_directory=str(tmp_path / "checkpoint"),
        tables_directory=str(tmp_path / "tables"),
    )
    produce(kafka, shuffled_conversation(seed=64, groups=2, messages=200))
    policies = group_policies(settings)
    Job(spark, kafka=kafka, settings=settings, policies=policies).drain()
    remove_a_file(settings.tables_directory, DELIVERIES)
    produce(kafka, [wire("late", 1, group="group-0")])
    with pytest.raises(TableError, match=r"deliveries.*rebuild the tables"):
        Job(spark, kafka=kafka, settings=settings, policies=policies).drain()
