"""Start a process that cannot outlive us, with its own session, log file and an orderly end.

Called by the local broker and by `precede demo` for every other process that it runs. What a child
starts in turn belongs to it: `stop` and `kill` end the whole group.

    with Child(["sleep", "60"], name="sleeper", log_file=folder / "sleeper.log") as child:
        child.pause()
        child.resume()
                                  # stopped here: SIGTERM, a grace, SIGKILL
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Self

from deploy.errors import ChildFailedError
from deploy.local import guard
from deploy.local.guardian import guardian

STOP_GRACE_SECONDS = 10.0
LINES_OF_LOG = 12
# How much of a log's end is read to show its last lines: a bound, since a log may be of any size.
_LOG_TAIL_BYTES = 64 * 1024
# What the members of a group get after their leader has gone well.
_STRAGGLER_GRACE_SECONDS = 1.0
_LOOK_EVERY_SECONDS = 0.02


class Child:
    """One child process and everything that it starts."""

    def __init__(
        self,
        command: Sequence[str],
        *,
        name: str,
        log_file: Path,
        environment: Mapping[str, str] | None = None,
        directory: Path | None = None,
    ) -> None:
        """Start it. Its output is appended to `log_file`; its input is empty.

        A command that cannot be run shows as an early end with the reason in the log.
        """
        self.name = name
        self.log_file = log_file
        pipe = guardian.pipe()
        with log_file.open("ab") as log:
            self._log_begins_at = log.tell()
            self._process = subprocess.Popen(
                [sys.executable, "-I", "-S", guard.__file__, guard.LAUNCH, str(pipe), *command],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=None if environment is None else dict(environment),
                cwd=directory,
                pass_fds=[pipe],
                start_new_session=True,
            )
        guardian.watch(self.pid)

    @property
    def pid(self) -> int:
        """The process id, which is also the id of its group."""
        return self._process.pid

    @property
    def exit_code(self) -> int | None:
        """None while it runs; below zero if a signal ended it."""
        return self._process.poll()

    @property
    def is_running(self) -> bool:
        """Whether the process itself, not only what it started, is still there."""
        return self.exit_code is None

    def require_running(self) -> None:
        """Raise `ChildFailedError` with the end of the log if it has ended."""
        if not self.is_running:
            raise ChildFailedError(
                f"{self.name} ended with {describe_exit(self.exit_code)}; "
                f"the end of {self.log_file}:\n"
                + "\n".join(f"  {line}" for line in self.last_lines())
            )

    def wait(self, *, within_seconds: float | None = None) -> int | None:
        """Wait for its own end; return the exit code, or None if the time passed first."""
        with contextlib.suppress(subprocess.TimeoutExpired):
            return self._process.wait(timeout=within_seconds)
        return None

    def signal(self, number: signal.Signals) -> None:
        """Send a signal to the process alone; nothing happens if it has ended."""
        if self.is_running:
            self._process.send_signal(number)

    def pause(self) -> None:
        """Freeze the whole group, as a stalled machine would; when this returns, its leader does
        nothing any more. A signal is sent at once and obeyed a moment later.
        """
        if self._signal_group(signal.SIGSTOP):
            with contextlib.suppress(ChildProcessError):
                os.waitid(os.P_PID, self.pid, os.WSTOPPED | os.WEXITED | os.WNOWAIT)

    def resume(self) -> None:
        """Let a paused group go on."""
        self._signal_group(signal.SIGCONT)

    def stop(self, *, grace_seconds: float = STOP_GRACE_SECONDS) -> int:
        """End it in order and return its exit code; may be called again.

        1. SIGTERM to the process alone: it may need its own children in order to end well.
        2. When it has ended, SIGTERM to what is left of its group, and a moment to obey.
        3. SIGKILL to whatever is left then, or when the grace has passed.
        """
        self.signal(signal.SIGTERM)
        self.resume()
        if self.wait(within_seconds=grace_seconds) is not None:
            self._end_stragglers()
        return self.kill()

    def kill(self) -> int:
        """SIGKILL to the whole group, at once; return the exit code."""
        self._signal_group(signal.SIGKILL)
        exit_code = self._process.wait()
        guardian.forget(self.pid)
        return exit_code

    def last_lines(self, count: int = LINES_OF_LOG) -> list[str]:
        """Return the last lines that it wrote, none of an earlier child with the same log."""
        return last_lines(self.log_file, count=count, begins_at=self._log_begins_at)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _end_stragglers(self) -> None:
        self._signal_group(signal.SIGTERM)
        deadline = time.monotonic() + _STRAGGLER_GRACE_SECONDS
        while time.monotonic() < deadline and self._signal_group(0):
            time.sleep(_LOOK_EVERY_SECONDS)

    def _signal_group(self, number: int) -> bool:
        """Send to the group; False if nobody is left in it."""
        try:
            os.killpg(self.pid, number)
        except (ProcessLookupError, PermissionError):
            # Permission is what macOS denies if only zombies are left in the group.
            return False
        return True


def last_lines(file: Path, *, count: int, begins_at: int = 0) -> list[str]:
    """Return the last `count` lines of a file that may be large, still growing, or not there.

    Nothing before the byte `begins_at` is read.
    """
    try:
        with file.open("rb") as opened:
            size = opened.seek(0, os.SEEK_END)
            opened.seek(max(begins_at, size - _LOG_TAIL_BYTES))
            text = opened.read(_LOG_TAIL_BYTES).decode(errors="replace")
    except FileNotFoundError:
        return []
    return text.splitlines()[-count:]


def describe_exit(exit_code: int | None) -> str:
    """Say in words how a process ended."""
    if exit_code is None:
        return "no exit code yet"
    if exit_code < 0:
        return signal.Signals(-exit_code).name
    return f"exit code {exit_code}"
