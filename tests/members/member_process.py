"""Members as processes of their own, which tests ask, kill and end."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
from pathlib import Path
from typing import Any

from members.participant import READY

ENDS_WITHIN_S = 60.0


class MemberProcess:
    """A member in a process of its own."""

    def __init__(self, name: str, *more: str, incarnations: Path) -> None:
        self.name = name
        self._process = subprocess.Popen(
            [
                *(sys.executable, "-m", "members.participant", "--name", name),
                *("--incarnations", str(incarnations / name), *more),
            ],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        assert self._process.stderr is not None
        line = self._process.stderr.readline()
        assert line.startswith(READY), line

    def status(self) -> dict[str, Any]:
        """Ask it how far it has come."""
        assert self._process.stderr is not None
        self._process.send_signal(signal.SIGUSR1)
        status: dict[str, Any] = json.loads(self._process.stderr.readline())
        return status

    def synchronise(self) -> None:
        """Let it ask for what it lacks."""
        self._process.send_signal(signal.SIGUSR2)

    def kill(self) -> None:
        """End it without a word."""
        self._process.kill()
        self._process.communicate()

    def end(self, *, within_s: float = ENDS_WITHIN_S) -> dict[str, Any]:
        """End it well, and give what it prints."""
        self._process.send_signal(signal.SIGTERM)
        out, err = self._process.communicate(timeout=within_s)
        assert self._process.returncode == 0, err
        result: dict[str, Any] = json.loads(out)
        return result
