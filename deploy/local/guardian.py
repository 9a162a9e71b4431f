"""Our end of the guard: start it when the first child is started, tell it which groups are ours.

Called by `deploy.local.child` alone. One guard serves the whole process, as each costs some memory.
"""

import atexit
import contextlib
import os
import subprocess
import sys
import threading
import time

from deploy.local import guard

_LOOK_EVERY_SECONDS = 0.02


class Guardian:
    """Keeps a guard running while there are children, and its list right."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._guard: subprocess.Popen[bytes] | None = None
        self._groups: set[int] = set()
        os.register_at_fork(after_in_child=self._leave_to_parent)
        atexit.register(self.close)

    def pipe(self) -> int:
        """Return where a child announces itself; start the guard if there is none."""
        with self._lock:
            return self._running_pipe()

    def watch(self, group: int) -> None:
        """Remember a group, so that a guard that had to be replaced learns of it too."""
        with self._lock:
            self._groups.add(group)
            self._tell(b"+%d\n" % group)

    def forget(self, group: int) -> None:
        """The group has ended: its number may soon belong to somebody else."""
        with self._lock:
            self._groups.discard(group)
            self._tell(b"-%d\n" % group)

    def close(self) -> None:
        """Have the guard end what is left, and wait for it. Called when this process ends."""
        with self._lock:
            if self._guard is not None and self._guard.stdin is not None:
                self._guard.stdin.close()
                while self._guard.poll() is None:
                    self._reap()
                    time.sleep(_LOOK_EVERY_SECONDS)
            self._guard = None
            self._groups.clear()

    def _reap(self) -> None:
        """Take note of children that have ended, or the guard would take them for running."""
        for group in self._groups:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(group, os.WNOHANG)

    def _tell(self, line: bytes) -> None:
        # A broken pipe means that the guard was killed; its successor is told of all groups.
        with contextlib.suppress(BrokenPipeError):
            os.write(self._running_pipe(), line)

    def _running_pipe(self) -> int:
        if self._guard is None or self._guard.poll() is not None:
            self._guard = self._start()
            for group in self._groups:
                os.write(self._descriptor(), b"+%d\n" % group)
        return self._descriptor()

    def _descriptor(self) -> int:
        assert self._guard is not None
        assert self._guard.stdin is not None
        return self._guard.stdin.fileno()

    @staticmethod
    def _start() -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            [sys.executable, "-I", "-S", guard.__file__],
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            bufsize=0,
            cwd="/",
            start_new_session=True,
        )

    def _leave_to_parent(self) -> None:
        """After a fork the children are still the parent's, and so must be the only open pipe."""
        guard_of_parent, self._guard = self._guard, None
        self._groups = set()
        self._lock = threading.Lock()
        if guard_of_parent is not None and guard_of_parent.stdin is not None:
            guard_of_parent.stdin.close()
            guard_of_parent.returncode = 0  # not ours to wait for


guardian = Guardian()
