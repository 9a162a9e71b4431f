"""What a person sees: data on standard output, progress on standard error, colour if wanted.

Commands get a `Terminal` and write through it, so that three rules hold everywhere:

1. Standard output carries the result and nothing else; it can be piped.
2. Colour and moving lines appear on a terminal only, and never with NO_COLOR or TERM=dumb.
3. Text that came from outside (a group's name, a payload) is made harmless by `printable`
   before it is shown: an escape sequence in a message must not drive somebody's terminal.
"""

from __future__ import annotations

import json
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, TextIO

SPINNER = "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏"
PLAIN_SPINNER = "|/-\\"
SPINNER_INTERVAL_S = 0.1
CLEAR_LINE = "\r\x1b[2K"
COLUMN_GAP = "  "


class OutputFormat(StrEnum):
    """The two ways in which a command that ends in a result prints it."""

    TABLE = "table"
    JSON = "json"


class Colour(StrEnum):
    """Colours by meaning; the number is the terminal's own code."""

    GOOD = "32"
    BAD = "31"
    WARNING = "33"
    QUIET = "2"
    STRONG = "1"


@dataclass(frozen=True, slots=True)
class Terminal:
    """Two streams and what each of them can show."""

    out: TextIO
    progress: TextIO
    is_out_coloured: bool
    is_progress_coloured: bool
    is_progress_live: bool

    def emit(self, line: str = "") -> None:
        """Write a line of the result."""
        self.out.write(f"{line}\n")
        self.out.flush()

    def emit_json(self, result: Mapping[str, Any]) -> None:
        """Write the result as one JSON object on one line."""
        self.emit(json.dumps(result, ensure_ascii=False, default=str))

    def emit_table(self, header: Sequence[str], rows: Sequence[Sequence[str]]) -> None:
        """Write rows in columns as wide as their widest cell; the header is quiet."""
        lines = aligned([header, *rows])
        self.emit(self.paint(lines[0], Colour.QUIET))
        for line in lines[1:]:
            self.emit(line)

    def say(self, line: str) -> None:
        """Write a line of progress."""
        self.progress.write(f"{line}\n")
        self.progress.flush()

    def complain(self, message: str) -> None:
        """Write why a command ends badly, in one line; it may quote what came from outside."""
        mark = coloured("precede:", Colour.BAD) if self.is_progress_coloured else "precede:"
        self.say(f"{mark} {printable(message)}")

    def paint(self, text: str, colour: Colour) -> str:
        """Colour a piece of the result, if standard output shows colours."""
        return coloured(text, colour) if self.is_out_coloured else text

    @contextmanager
    def step(self, doing: str) -> Iterator[None]:
        """Show that something takes time: a turning mark on a terminal, else two plain lines."""
        started = time.monotonic()
        turning = _Turning(self, doing) if self.is_progress_live else None
        if turning is None:
            self.say(f"{doing} ...")
        else:
            turning.start()
        outcome = "failed"
        try:
            yield
            outcome = "done"
        finally:
            if turning is not None:
                turning.stop()
            self.say(f"{doing}: {outcome} in {time.monotonic() - started:.1f} s")


class _Turning(threading.Thread):
    """Draws the turning mark until it is stopped; a daemon, so that it never keeps a process."""

    def __init__(self, terminal: Terminal, doing: str) -> None:
        super().__init__(name="precede-progress", daemon=True)
        self._terminal = terminal
        self._doing = doing
        self._is_over = threading.Event()
        encoding = (terminal.progress.encoding or "ascii").lower().replace("-", "")
        self._frames = SPINNER if encoding == "utf8" else PLAIN_SPINNER

    def run(self) -> None:
        turn = 0
        stream = self._terminal.progress
        while not self._is_over.wait(SPINNER_INTERVAL_S):
            stream.write(f"{CLEAR_LINE}{self._frames[turn % len(self._frames)]} {self._doing}")
            stream.flush()
            turn += 1
        stream.write(CLEAR_LINE)
        stream.flush()

    def stop(self) -> None:
        self._is_over.set()
        self.join()


def terminal_of_process(environ: Mapping[str, str]) -> Terminal:
    """The terminal that this process writes to, judged once, when a command starts."""
    return terminal_for(sys.stdout, sys.stderr, environ)


def terminal_for(out: TextIO, progress: TextIO, environ: Mapping[str, str]) -> Terminal:
    """Judge two streams: see `is_colour_wanted`; moving lines need a terminal that is not dumb."""
    return Terminal(
        out=out,
        progress=progress,
        is_out_coloured=is_colour_wanted(out, environ),
        is_progress_coloured=is_colour_wanted(progress, environ),
        is_progress_live=progress.isatty() and environ.get("TERM") != "dumb",
    )


def is_colour_wanted(stream: TextIO, environ: Mapping[str, str]) -> bool:
    """NO_COLOR (set and not empty) says no, a dumb terminal says no, else a terminal says yes."""
    if environ.get("NO_COLOR") or environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def coloured(text: str, colour: Colour) -> str:
    """Wrap text in the colour, whatever the stream."""
    return f"\x1b[{colour.value}m{text}\x1b[0m"


def printable(text: str) -> str:
    r"""Make text from outside harmless: a control character becomes its escape, as in `\x1b`."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)


def aligned(rows: Sequence[Sequence[str]]) -> list[str]:
    """Set cells in columns; the last column is not padded, so no line ends in spaces."""
    columns = max((len(row) for row in rows), default=0)
    widths = [max(len(row[i]) for row in rows if i < len(row)) for i in range(columns)]
    return [
        COLUMN_GAP.join(
            cell.ljust(width) for cell, width in zip(row, widths, strict=False)
        ).rstrip()
        for row in rows
    ]
