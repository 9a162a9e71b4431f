"""What a program's modules write with the standard `logging`, told as events of its journal.

with bridged(journal, "streaming", "sinks"):
    ...                                         log.warning("...") -> {"event": "log", ...}
"""

from __future__ import annotations

import logging
from collections.abc import Iterator
from contextlib import contextmanager

from ingest.telemetry.journal import Level, Tell

EVENT = "log"


class JournalHandler(logging.Handler):
    """Tells every record as an event; the logger's name is a field."""

    def __init__(self, tell: Tell) -> None:
        super().__init__(logging.INFO)
        self._tell = tell

    def emit(self, record: logging.LogRecord) -> None:
        """Tell one record."""
        level = Level.INFO
        if record.levelno >= logging.ERROR:
            level = Level.ERROR
        elif record.levelno >= logging.WARNING:
            level = Level.WARNING
        self._tell(level, EVENT, record.getMessage(), logger=record.name)


@contextmanager
def bridged(tell: Tell, *names: str) -> Iterator[None]:
    """Let the loggers of these names, and all below them, tell meanwhile."""
    handler = JournalHandler(tell)
    loggers = [logging.getLogger(name) for name in names]
    before = [logger.propagate for logger in loggers]
    for logger in loggers:
        logger.addHandler(handler)
        logger.propagate = False
    try:
        yield
    finally:
        for logger, was in zip(loggers, before, strict=True):
            logger.removeHandler(handler)
            logger.propagate = was
