"""A planted crash happens where and when it was asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Sequence
from typing import Any

import pytest

from sinks.settings import KafkaSettings
from sinks.worker_broker import WorkerBroker
from streaming import crash_points
from streaming.crash_points import VARIABLE, CrashPoint, crashing, pass_crash_point, remember_driver
from tests.ordering_udfs.brokers import ListedBroker, Written

ORDERED = KafkaSettings().topics.ordered
PASS_TWICE = (
    "from streaming.crash_points import *;"
    "pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT); print('once', flush=True);"
    "pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT); print('twice', flush=True)"
)
# A driver that leads a group, a helper of it, and a worker in another group, as Spark has them.
DRIVER_AND_WORKER = """
import os, subprocess, sys, time
from streaming.crash_points import remember_driver
remember_driver()
helper = subprocess.Popen(["sleep", "60"])
print(helper.pid, flush=True)
worker = "from streaming.crash_points import *\\n"
worker += "from tests.ordering_udfs.brokers import ListedBroker\\n"
worker += "broker = crashing(ListedBroker([]))\\n"
worker += "for _ in range(3): broker.write('precede.ordered', 0, [b'k'], [b'v'])"
subprocess.run([sys.executable, "-c", worker], process_group=0)
print("survived", flush=True)
"""


@pytest.mark.parametrize(
    ("planted", "printed"),
    [("after-delta-commit:2", "once"), ("after-delta-commit", ""), ("other:1", "once twice")],
)
def test_the_process_dies_at_the_named_passing(planted: str, printed: str) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PASS_TWICE],
        env=os.environ | {VARIABLE: planted},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.split() == printed.split()
    assert done.returncode == (0 if "twice" in printed else -signal.SIGKILL)


@pytest.mark.parametrize(
    ("point", "survives"),
    [(CrashPoint.IN_PYTHON_WORKER, False), (CrashPoint.PYTHON_WORKER_ALONE, True)],
)
def test_a_worker_ends_the_whole_job_or_itself_alone(point: CrashPoint, survives: bool) -> None:
    with subprocess.Popen(
        [sys.executable, "-c", DRIVER_AND_WORKER],
        env=os.environ | {VARIABLE: f"{point}:2"},
        stdout=subprocess.PIPE,
        text=True,
        start_new_session=True,
    ) as driver:
        assert driver.stdout is not None
        words = driver.stdout.readline().split()
        if survives:
            assert driver.stdout.readline() == "survived\n"
            os.kill(int(words[0]), signal.SIGKILL)
        # Only when the helper has gone too does this end.
        assert driver.stdout.read() == ""
    assert driver.returncode == (0 if survives else -signal.SIGKILL)


def test_nothing_happens_without_the_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(VARIABLE, raising=False)
    before = dict(os.environ)
    remember_driver()
    assert dict(os.environ) == before
    pass_crash_point(CrashPoint.AFTER_DELTA_COMMIT)
    broker = WorkerBroker(KafkaSettings())
    assert crashing(broker) is broker


@pytest.mark.parametrize("count", [0, 1, 2, 5])
@pytest.mark.parametrize("with_headers", [False, True])
def test_a_worker_passes_its_points_when_half_of_what_it_writes_is_in_the_topic(
    monkeypatch: pytest.MonkeyPatch, count: int, with_headers: bool
) -> None:
    lists: Any = ListedBroker([])
    passed: list[tuple[CrashPoint, int]] = []
    monkeypatch.setenv(VARIABLE, "nowhere:1")
    monkeypatch.setattr(
        crash_points,
        "pass_crash_point",
        lambda point: passed.append((point, len(lists.topics.get(ORDERED, ())))),
    )
    keys = [b"%d" % number for number in range(count)]
    values = [b"value " + key for key in keys]
    maybe_headers = [b"headers " + key for key in keys] if with_headers else None
    crashing(lists).write(ORDERED, 3, keys, values, maybe_headers)
    half = count // 2
    points = (CrashPoint.IN_PYTHON_WORKER, CrashPoint.PYTHON_WORKER_ALONE)
    assert passed == ([(point, half) for point in points] if count else [])
    blocks: Sequence[bytes | None] = maybe_headers or [None] * count
    expected = [Written(3, *one) for one in zip(keys, values, blocks, strict=True)]
    assert lists.topics.get(ORDERED, []) == expected


def test_what_goes_into_the_other_topics_passes_no_point(monkeypatch: pytest.MonkeyPatch) -> None:
    lists: Any = ListedBroker([])
    passed: list[CrashPoint] = []
    monkeypatch.setenv(VARIABLE, "nowhere:1")
    monkeypatch.setattr(crash_points, "pass_crash_point", passed.append)
    crashing(lists).write("precede.waits", 0, [b"k"], [b"v"])
    assert (passed, lists.values()) == ([], {"precede.waits": [b"v"]})
