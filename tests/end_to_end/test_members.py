"""Members and the service, for real: five processes behind a bad network, an agent, a broker, the
Spark job and its table. Members are killed and come back; all end with the same messages, which are
those of the table; and one who comes when all others are gone gets them from the table.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from deploy.local.broker import Broker
from deploy.local.child import Child
from ingest.faults import Faults, Loss
from ingest.relay import Relay
from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress
from sinks.errors import DestinationError
from sinks.settings import KafkaSettings
from sinks.table_reader import read_rows
from sinks.tables import DELIVERIES
from tests.console.agent_process import agent, wait_until_ready
from tests.ingest.loopback import new_group
from tests.members.member_process import MemberProcess
from tests.topic_tools import new_topics

pytestmark = [pytest.mark.kill, pytest.mark.broker, pytest.mark.timeout(1_200)]

PATIENCE_S = 400.0
NAMES = ("alice", "bob", "carol", "dave", "erin")
MESSAGES = 40
ASKED_EVERY_S = 3.0
"""Time for an answer before all look again: only how soon the test sees it depends on it."""


def delivered_to(member: MemberProcess) -> list[str]:
    """End it well; gives what was delivered to it, in order."""
    return list(member.end(within_s=PATIENCE_S)["delivered"])


def driver(kafka: KafkaSettings, directory: Path) -> Child:
    """`precede run` as an operator starts it."""
    command = [
        sys.executable, "-m", "console", "run",
        "--set", f"kafka.bootstrap={kafka.bootstrap}",
        "--set", f"kafka.topic_prefix={kafka.topic_prefix}",
        "--set", f"kafka.partitions={kafka.partitions}",
        "--set", f"job.checkpoint_directory={directory / 'checkpoint'}",
        "--set", f"job.tables_directory={directory / 'tables'}",
        "--set", f"job.scratch_directory={directory / 'spark'}",
    ]  # fmt: skip
    log_file = directory / "driver.log"
    return Child(command, name="driver", log_file=log_file, environment=dict(os.environ))


@contextmanager
def relaying() -> Iterator[tuple[GroupAddress, GroupAddress]]:
    """A bad network between what members say and what they hear."""
    faults = Faults(seed=7, loss=0.1, duplication=0.1, jitter_us=20_000, loss_is=Loss.FOR_GOOD)
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


def table(directory: Path) -> list[str]:
    """The ids of the table, in the order of their positions."""
    try:
        rows = list(
            read_rows(str(directory / "tables"), DELIVERIES, columns=("group", "position", "id"))
        )
    except DestinationError:
        return []  # the tables are made after the first deliveries
    return [message_id for group, _, message_id in sorted(rows) if group == "dev"]


def wait_for(is_so: Callable[[], bool], job: Child, what: str) -> None:
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        job.require_running()
        assert time.monotonic() < deadline_s, f"{what} took too long: {job.last_lines(20)}"
        time.sleep(1.0)


def test_members_that_are_killed_and_the_services_table_end_equal(
    broker: Broker, tmp_path: Path
) -> None:
    kafka = new_topics(broker.bootstrap)
    service = [
        "--service", kafka.bootstrap, "--topic-prefix", kafka.topic_prefix,
        "--partitions", str(kafka.partitions),
    ]  # fmt: skip
    with ExitStack() as stack:
        job = stack.enter_context(driver(kafka, tmp_path))
        speaks, listens = stack.enter_context(relaying())
        flags = [
            "--group", str(speaks), "--bootstrap", kafka.bootstrap,
            "--topic-prefix", kafka.topic_prefix, "--set", "agent.broker_away_after_ms=60000",
        ]  # fmt: skip
        captures = stack.enter_context(agent(tmp_path / "spool", *flags))
        wait_until_ready(captures)
        way = ["--address", str(speaks), "--listen", str(listens), *service]
        talk = ["--messages", str(MESSAGES), "--per-second", "20"]
        running: dict[str, MemberProcess] = {}
        stack.callback(kill_all, running)
        for number, name in enumerate(NAMES):
            first = ["--create"] if number == 0 else []
            more = (*way, *talk, *first, "--seed", str(number))
            running[name] = MemberProcess(name, *more, incarnations=tmp_path)
        for number, name in enumerate(("carol", "alice"), start=20):
            running[name].kill()
            more = (*way, *talk, "--seed", str(number))
            running[name] = MemberProcess(name, *more, incarnations=tmp_path)
        wait_for(lambda: have_said_all(running), job, "talking")
        wait_for(lambda: are_equal(running, tmp_path), job, "becoming equal")
        sequences = {name: delivered_to(running.pop(name)) for name in NAMES}
        expected = table(tmp_path)
        for name, delivered in sequences.items():
            assert sorted(delivered) == sorted(expected), name
            assert len(set(delivered)) == len(delivered)
        assert {"alice#2", "carol#2"} <= {one.rpartition(":")[0] for one in expected}
        # Everybody is gone. Whoever comes now has only the service.
        running["zoe"] = MemberProcess("zoe", *way, incarnations=tmp_path)
        wait_for(lambda: running["zoe"].status()["delivered"] >= len(expected), job, "catching up")
        assert delivered_to(running.pop("zoe")) == expected
        assert job.stop(grace_seconds=60) == 0, job.last_lines(40)


def kill_all(running: dict[str, MemberProcess]) -> None:
    for member in running.values():
        member.kill()


def have_said_all(running: dict[str, MemberProcess]) -> bool:
    return all(member.status()["sent"] == MESSAGES for member in running.values())


def are_equal(running: dict[str, MemberProcess], directory: Path) -> bool:
    """Tell whether everybody has what the table has; if not, everybody asks everybody."""
    count = len(table(directory))
    statuses = [member.status() for member in running.values()]
    if count >= MESSAGES * len(NAMES) and all(one["delivered"] == count for one in statuses):
        return len({one["digest"] for one in statuses}) == 1
    if count >= MESSAGES * len(NAMES):
        for member in running.values():
            member.synchronise()
        time.sleep(ASKED_EVERY_S)
    return False
