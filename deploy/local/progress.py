"""One line on stderr that says what is going on: redrawn on a terminal, printed once elsewhere.

Called around what takes longer than a person waits without a word.
"""

import sys
import time
from types import TracebackType
from typing import Self, TextIO

_ERASE_LINE = "\r\x1b[2K"


class Progress:
    """A context manager: announces `title`, shows how far it is, ends with the time it took."""

    def __init__(self, title: str, *, stream: TextIO | None = None) -> None:
        self._title = title
        self._stream = sys.stderr if stream is None else stream
        self._redraws = self._stream.isatty()
        self._started_at = time.monotonic()

    def show(self, how_far: str) -> None:
        """Redraw the line with `how_far`; nothing is printed where a line cannot be redrawn."""
        if self._redraws:
            self._write(f"{_ERASE_LINE}{self._title}: {how_far}")

    def __enter__(self) -> Self:
        self._write(self._title if self._redraws else f"{self._title} ...\n")
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        outcome = "done" if kind is None else "failed"
        took = f"{outcome} after {time.monotonic() - self._started_at:.0f} s"
        before = _ERASE_LINE if self._redraws else ""
        self._write(f"{before}{self._title}: {took}\n")

    def _write(self, text: str) -> None:
        self._stream.write(text)
        self._stream.flush()
