"""A real `precede agent` beside a test, and what it says on standard error."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from console.commands.agent import READY

PRECEDE = [sys.executable, "-c", "from console.command import main; main()"]
PATIENCE_S = 120


@contextmanager
def agent(directory: Path, *arguments: str) -> Iterator[subprocess.Popen[str]]:
    """Run `precede agent` beside the test, and end it whatever happens."""
    own = ("--set", f"spool.directory={directory}", "--set", "agent.status_address=127.0.0.1:0")
    process = subprocess.Popen(
        [*PRECEDE, "agent", *own, *arguments],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
    )  # fmt: skip
    try:
        yield process
    finally:
        process.kill()
        process.communicate()


def wait_until_ready(running: subprocess.Popen[str]) -> int:
    """Read the log until the agent is ready, and give the port on which it says how it is."""
    event = wait_for_event(running, "ready")
    assert event["message"].startswith(READY)
    return int(event.get("status_port", 0))


def wait_for_event(running: subprocess.Popen[str], name: str) -> dict[str, str]:
    """Read the log until this event comes."""
    assert running.stderr is not None
    for line in running.stderr:
        event: dict[str, str] = json.loads(line)
        if event["event"] == name:
            return event
    raise AssertionError(f"the agent ended before {name}")
