"""`precede demo`, whole and broken: real broker, real Spark, real multicast."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

pytestmark = [pytest.mark.kill, pytest.mark.broker, pytest.mark.spark]

PATIENCE_SECONDS = 400


def descendants(pid: int) -> dict[int, str]:
    """Every process below this one, with its command line."""
    parents: dict[int, int] = {}
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[int(entry.name)] = int(
                    (entry / "stat").read_text().rsplit(")")[-1].split()[1]
                )
    found: dict[int, str] = {}
    layer = {pid}
    while layer:
        layer = {child for child, parent in parents.items() if parent in layer} - found.keys()
        for child in layer:
            with contextlib.suppress(OSError):
                found[child] = (
                    (Path("/proc") / str(child) / "cmdline").read_text().replace("\0", " ")
                )
    return found


@contextlib.contextmanager
def demo(*arguments: str) -> Iterator[subprocess.Popen[str]]:
    process = subprocess.Popen(
        [sys.executable, "-m", "console", "demo", *arguments],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    try:
        yield process
    finally:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.wait()


def broker_of(process: subprocess.Popen[str]) -> int:
    """The broker's process id, once it serves."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    while time.monotonic() < deadline:
        for pid, command in descendants(process.pid).items():
            if " kafka.Kafka " in command:
                return pid
        time.sleep(0.1)
    raise AssertionError("the demo started no broker")


def is_gone(pid: int) -> bool:
    return not (Path("/proc") / str(pid)).exists()


def test_the_demo_ends_with_nothing_wrong_and_nothing_left() -> None:
    with demo("--seconds", "5", "--seed", "3", "--loss", "20", "--output", "json") as process:
        broker = broker_of(process)
        below = descendants(process.pid)
        out, shown = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 0, shown
    result = json.loads(out)
    assert result["ok"] is True
    assert result["delivered"] == 151
    assert result["duplicates"] > 0
    assert [result[name] for name in ("lost", "duplicated", "out_of_order", "unseen")] == [0] * 4
    assert "captured" in shown
    assert all(is_gone(pid) for pid in [broker, *below])
    assert "kept in" not in shown


def test_a_broker_that_is_killed_ends_the_demo_with_one_sentence() -> None:
    with demo("--seconds", "30") as process:
        os.kill(broker_of(process), signal.SIGKILL)
        out, shown = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode != 0
    assert "Traceback" not in shown + out
    complaints = [line for line in shown.splitlines() if line.startswith("precede: ")]
    assert len(complaints) == 1, shown
    assert "broker" in complaints[0]


def test_ctrl_c_ends_the_demo_and_everything_that_it_started() -> None:
    with demo("--seconds", "30") as process:
        broker = broker_of(process)
        below = descendants(process.pid)
        process.send_signal(signal.SIGINT)
        _, shown = process.communicate(timeout=PATIENCE_SECONDS)
    assert process.returncode == 130, shown
    assert all(is_gone(pid) for pid in [broker, *below])
