"""A planted crash happens where and when it was asked for."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from streaming.crash_points import VARIABLE, CrashPoint, crashing, pass_crash_point, remember_driver

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
worker += "list(crashing(lambda key, frames, state: iter('abc'))(1, 2, 3))"
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
    order = iter
    assert crashing(order) is order
