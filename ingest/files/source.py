"""A capture file as a source of datagrams: a thread that gives them on, at full speed or as
recorded.

It has the verbs of a live capture (`ingest/capture.py`) and ends by itself when the file does.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from enum import StrEnum
from pathlib import Path
from typing import Final

from ingest.datagram import Datagram, Take
from ingest.files.datagrams import FileDatagrams
from ingest.files.opening import open_capture_file, packets_of
from ingest.files.packet import Tally
from ingest.wire.addresses import GroupAddress, Subscription

_MICROSECONDS_PER_SECOND: Final = 1_000_000
_NANOSECONDS_PER_MICROSECOND: Final = 1_000


class Pace(StrEnum):
    """How fast a file is read."""

    FULL = "full"
    """As fast as the agent takes it."""
    RECORDED = "recorded"
    """As it was captured: the time between two datagrams is that of their records."""


class FileSource:
    """Reads one file to its end. Made and started by the agent."""

    def __init__(
        self, path: Path, *, subscriptions: Iterable[Subscription], pace: Pace, take: Take
    ) -> None:
        """Open the file; `take` gets every datagram of the subscriptions, and may block.

        Raises CaptureFileError if it is no capture file.
        """
        self.path = path
        self.tally = Tally()
        self.maybe_failure: Exception | None = None
        self._has_finished = False
        self._pace = pace
        self._take = take
        self._is_stopping = threading.Event()
        self._stream = open_capture_file(path)
        self._datagrams = FileDatagrams(subscriptions, self.tally)
        self._thread = threading.Thread(target=self._run, name=f"file {path}", daemon=True)

    @property
    def received(self) -> int:
        """How many datagrams were given on."""
        return self.tally.datagrams

    @property
    def oversized(self) -> int:
        """None: a record that is too long is left out."""
        return 0

    @property
    def kernel_drops(self) -> int:
        """How many packets the capturing machine lost, as far as the file says so."""
        return self.tally.dropped_before

    @property
    def left_out(self) -> Counter[str]:
        """How many records gave no datagram, by reason."""
        return Counter(self.tally.left_out)

    @property
    def buffer_got_bytes(self) -> int:
        """A file needs no buffer."""
        return 0

    @property
    def has_finished(self) -> bool:
        """Whether the file has been read to its end."""
        return self._has_finished

    @property
    def elsewhere(self) -> Counter[GroupAddress]:
        """How many datagrams of the file went to addresses that nobody here listens to."""
        return self._datagrams.elsewhere

    def start(self) -> None:
        """Begin to read."""
        self._thread.start()

    def ask_to_stop(self) -> None:
        """Ask the thread to end before the file does."""
        self._is_stopping.set()

    def has_ended(self, *, within_s: float) -> bool:
        """Wait for the end and say whether it came; one that was never started ends at once."""
        if self._thread.ident is None:
            self._stream.close()
            return True
        self._thread.join(within_s)
        return not self._thread.is_alive()

    def _run(self) -> None:
        try:
            self._read()
        except Exception as error:  # the thread has no caller: the agent looks here
            self.maybe_failure = error
        finally:
            self._stream.close()

    def _read(self) -> None:
        wait = _Pacing(self._is_stopping.wait) if self._pace is Pace.RECORDED else None
        for datagram in self._datagrams.datagrams_of(packets_of(self._stream, self.tally)):
            if wait is not None:
                wait.until(datagram)
            if self._is_stopping.is_set():
                self.tally.datagrams -= 1
                return
            self._take((datagram,))
        self._has_finished = True


class _Pacing:
    """Waits until a datagram is due, counted from the first one."""

    def __init__(self, wait: Callable[[float], bool]) -> None:
        self._wait = wait
        self._maybe_shift: int | None = None

    def until(self, datagram: Datagram) -> None:
        now = time.monotonic_ns() // _NANOSECONDS_PER_MICROSECOND
        if self._maybe_shift is None:
            self._maybe_shift = now - datagram.captured_at
        left_us = datagram.captured_at + self._maybe_shift - now
        if left_us > 0:
            self._wait(left_us / _MICROSECONDS_PER_SECOND)
