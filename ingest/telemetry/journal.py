"""What a program tells its operator while it runs: one line for each thing that matters.

    12:00:03 WARNING Kafka does not answer; messages wait in the spool  waiting=1200        people
    {"at": "2026-11-16T12:00:03.123456Z", "level": "warning", "event": "kafka_away", ...}   machines

People get the first form on a terminal; everything else, such as a system's journal, gets the
second. An event has a stable name, a sentence, and plain numbers or texts. Nothing that came from
the network is in it but names, made harmless; no secret is ever a field.
"""

import json
import threading
from collections.abc import Callable
from datetime import UTC, datetime
from enum import StrEnum
from typing import Final, Protocol, TextIO

_LEVEL_WIDTH: Final = 7

Plain = int | float | str | bool


class Level(StrEnum):
    """How much an event matters."""

    INFO = "info"
    WARNING = "warning"
    ERROR = "error"


class LogFormat(StrEnum):
    """How a program writes what it tells."""

    AUTO = "auto"
    TEXT = "text"
    JSON = "json"


class Tell(Protocol):
    """What parts of a program call when something happened."""

    def __call__(self, level: Level, event: str, sentence: str, **fields: Plain) -> None:
        """Tell one event."""


def silent(level: Level, event: str, sentence: str, **fields: Plain) -> None:
    """Tell nobody: for parts that are used without a program around them."""


class Journal:
    """Writes events to a stream, from any thread, one whole line each."""

    def __init__(
        self,
        stream: TextIO,
        *,
        is_json: bool,
        before: str = "",
        clock: Callable[[], datetime] = lambda: datetime.now(UTC),
    ) -> None:
        """`before` is written in front of each line: it may clear a line that moves."""
        self.is_json = is_json
        self._stream = stream
        self._before = before
        self._clock = clock
        self._lock = threading.Lock()

    def __call__(self, level: Level, event: str, sentence: str, **fields: Plain) -> None:
        """Write one event."""
        now = self._clock()
        line = _json(now, level, event, sentence, fields) if self.is_json else ""
        line = line or _text(now, level, sentence, fields)
        with self._lock:
            self._stream.write(f"{self._before}{line}\n")
            self._stream.flush()


def is_json_wanted(wanted: LogFormat, *, is_terminal: bool) -> bool:
    """Decide the form: what was asked for, else JSON wherever no person is watching."""
    return not is_terminal if wanted is LogFormat.AUTO else wanted is LogFormat.JSON


def _json(now: datetime, level: Level, event: str, sentence: str, fields: dict[str, Plain]) -> str:
    at = now.isoformat(timespec="microseconds").replace("+00:00", "Z")
    head = {"at": at, "level": level.value, "event": event, "message": sentence}
    return json.dumps(head | fields)


def _text(now: datetime, level: Level, sentence: str, fields: dict[str, Plain]) -> str:
    told = "".join(f"  {name}={_harmless(value)}" for name, value in fields.items())
    return f"{now:%H:%M:%S} {level.upper():<{_LEVEL_WIDTH}} {_harmless(sentence)}{told}"


def _harmless(value: Plain) -> str:
    """Show control characters as their escapes: a name must not drive somebody's terminal."""
    text = str(value)
    return "".join(c if c.isprintable() else c.encode("unicode_escape").decode() for c in text)
