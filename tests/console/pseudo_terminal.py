"""A program in a pseudo-terminal: what it draws, and keys for it. Standard library only."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import signal
import struct
import termios
import time
from collections.abc import Sequence
from types import TracebackType

PATIENCE_S = 90.0
ROWS, COLUMNS = 32, 110
_SEQUENCE = re.compile(
    rb"\x1b(?:"
    rb"\[[0-9;?<>=$\"' ]*[A-Za-z~]"  # places, colours, modes
    rb"|\][^\x07\x1b]*(?:\x07|\x1b\\)"  # titles
    rb"|P[^\x1b]*\x1b\\"  # questions to the terminal
    rb"|[=>()][0-9A-Z]?)"
)


class PseudoTerminal:
    """One program and its screen; `with` ends it whatever happens."""

    def __init__(self, command: Sequence[str], *, environment: dict[str, str]) -> None:
        self._process, self._screen = pty.fork()
        if self._process == 0:  # the child: becomes the program
            os.execvpe(command[0], list(command), environment)
        size = struct.pack("HHHH", ROWS, COLUMNS, 0, 0)
        fcntl.ioctl(self._screen, termios.TIOCSWINSZ, size)
        self.drawn = b""
        self.maybe_code: int | None = None

    def __enter__(self) -> PseudoTerminal:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self.maybe_code is None:
            with contextlib.suppress(ProcessLookupError):
                os.kill(self._process, signal.SIGKILL)
            os.waitpid(self._process, 0)
        os.close(self._screen)

    @property
    def text(self) -> str:
        """Everything that was drawn so far, without the sequences that place and colour it."""
        return _SEQUENCE.sub(b"", self.drawn).decode("utf-8", "replace")

    def read(self, *, within_s: float = 0.1) -> None:
        """Take what the program drew meanwhile."""
        while select.select([self._screen], [], [], within_s)[0]:
            try:
                drawn = os.read(self._screen, 65_536)
            except OSError:  # the program has closed its side
                return
            if not drawn:
                return
            self.drawn += drawn
            within_s = 0.0

    def wait_for(self, words: str) -> None:
        """Wait until the program has drawn these words, since the last `forget`."""
        deadline_s = time.monotonic() + PATIENCE_S
        while words not in self.text:
            assert time.monotonic() < deadline_s, f"{words!r} was not drawn: {self.text[-2_000:]}"
            self.read()

    def forget(self) -> None:
        """Look only at what is drawn from now on."""
        self.read()
        self.drawn = b""

    def press(self, keys: str) -> None:
        """Press keys, as a person does."""
        os.write(self._screen, keys.encode())

    def end(self) -> int:
        """Wait until the program has ended by itself; gives its exit code."""
        deadline_s = time.monotonic() + PATIENCE_S
        while True:
            self.read()
            done, status = os.waitpid(self._process, os.WNOHANG)
            if done:
                self.maybe_code = os.waitstatus_to_exitcode(status)
                return self.maybe_code
            assert time.monotonic() < deadline_s, "it does not end"
