"""Which processes run below another one, and whether they have ended."""

from __future__ import annotations

import contextlib
import os
import time
from collections.abc import Iterable
from pathlib import Path

PATIENCE_SECONDS = 60.0
_LOOK_EVERY_SECONDS = 0.02
_PROCESSES = Path("/proc")


def descendants(pid: int) -> dict[int, str]:
    """Every process below this one, with its command line."""
    parents: dict[int, int] = {}
    for entry in _PROCESSES.iterdir():
        if entry.name.isdigit():
            with contextlib.suppress(OSError, IndexError, ValueError):
                parents[int(entry.name)] = int(_state_and_parent(entry)[1])
    found: dict[int, str] = {}
    layer = {pid}
    while layer:
        layer = {child for child, parent in parents.items() if parent in layer} - found.keys()
        for child in layer:
            with contextlib.suppress(OSError):
                found[child] = (_PROCESSES / str(child) / "cmdline").read_text().replace("\0", " ")
    return found


def is_gone(pid: int) -> bool:
    """Whether a process has ended; a zombie that nobody has reaped has."""
    try:
        os.kill(pid, 0)
        return _state_and_parent(_PROCESSES / str(pid))[0] == "Z"
    except (ProcessLookupError, FileNotFoundError):
        return True


def wait_until_gone(pids: Iterable[int]) -> None:
    """Wait for the end of processes whose parents have ended: they hear of it a moment later."""
    deadline = time.monotonic() + PATIENCE_SECONDS
    left = set(pids)
    while left := {pid for pid in left if not is_gone(pid)}:
        assert time.monotonic() < deadline, f"still there: {sorted(left)}"
        time.sleep(_LOOK_EVERY_SECONDS)


def _state_and_parent(process: Path) -> list[str]:
    """The fields behind the name, which may hold any character."""
    return (process / "stat").read_text().rsplit(")", 1)[-1].split()
