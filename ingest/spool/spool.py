"""The spool: the queue between capture and Kafka, in memory as long as it may, on disk always.

    spool = Spool(SpoolSettings(directory=...), agent="edge-1")
    number = spool.append(captured_at, b"dev", datagram)      any capture thread; may wait for room
    number = spool.append_all([(captured_at, b"dev", datagram), ...])      many at once cost less
    for entry in spool.read(after=spool.cursor, wait_s=0.1):  the sender
        ...
    spool.release(entry.sequence)                             Kafka has everything up to here
    spool.close(within_s=10.0)

What a number promises: `durable >= number` says that a power cut does not take the message any
more; `cursor >= number` that Kafka has it. A process that is killed loses nothing that was written,
synced or not. docs/edge/spool.md has the whole story.
"""

import contextlib
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Final

from ingest.spool.backlog import Backlog
from ingest.spool.cursor import write_cursor
from ingest.spool.lock import DirectoryLock
from ingest.spool.record import Entry
from ingest.spool.settings import SpoolSettings
from ingest.spool.store import Recovered, Store
from ingest.spool.writer import SpoolWriter
from ingest.telemetry.journal import Level, Tell, silent

_CURSOR_EVERY_S: Final = 0.2
"""How often the cursor is written: what a crash makes the agent send again is at most this old."""

_LOOK_EVERY_S: Final = 0.005
_READ_AGAIN_S: Final = 0.5


class Spool:
    """An open spool: locked, recovered, and writing."""

    def __init__(
        self, settings: SpoolSettings, *, agent: str = "agent", tell: Tell = silent
    ) -> None:
        """Open and recover. Raises SpoolInUseError, SpoolFormatError or SpoolError."""
        self.directory = Path(settings.directory)
        self._tell = tell
        self._lock = DirectoryLock(self.directory)
        try:
            self._store = Store(self.directory, segment_bytes=settings.segment_bytes)
        except BaseException:
            self._lock.release()
            raise
        self.recovered: Recovered = self._store.recovered
        self.cursor = self.recovered.cursor
        self._maybe_unreadable: str | None = None
        self._cursor_written = self.recovered.cursor
        self._cursor_written_at_s = 0.0
        self._backlog = Backlog(
            last=self.recovered.last, is_durable_before_read=not settings.sync_every_ms
        )
        self._writer = SpoolWriter(
            self._backlog, self._store, settings,
            agent=agent, cursor=lambda: self.cursor, tell=tell,
        )  # fmt: skip
        self._tell_recovered()
        self._writer.start()

    @property
    def last(self) -> int:
        """The number of the newest message that was accepted."""
        return self._backlog.last

    @property
    def durable(self) -> int:
        """Up to which number a power cut takes nothing."""
        return self._backlog.durable

    @property
    def dropped(self) -> int:
        """How many messages were given up to make room, since the start."""
        return self._writer.dropped

    @property
    def missing(self) -> int:
        """How many messages damage has taken, as far as it was read, since the start."""
        return self._store.missing

    @property
    def waiting(self) -> int:
        """How many entries wait for Kafka."""
        return max(0, self.last - self.cursor - self._store.gone_waiting(self.cursor))

    @property
    def published(self) -> int:
        """How many entries Kafka has acknowledged since the start; exact when none waits."""
        gone = self._store.gone - self._store.gone_waiting(self.cursor)
        return max(0, self.cursor - self.recovered.cursor - self.missing - gone)

    @property
    def accepted(self) -> int:
        """How many entries were appended since the start, notices of gaps included."""
        return self.last - self.recovered.last

    @property
    def blocked(self) -> int:
        """How often a capture had to wait for room."""
        return self._backlog.blocked

    @property
    def total_bytes(self) -> int:
        """How much the spool takes on the disk."""
        return self._store.total_bytes

    @property
    def pending_bytes(self) -> int:
        """How much waits for the disk."""
        return self._backlog.pending_bytes

    @property
    def is_full(self) -> bool:
        """Whether the capture has to wait at the moment."""
        return self._backlog.is_full

    @property
    def damaged_bytes(self) -> int:
        """How many bytes of the files are no records: torn at the start, or damaged since."""
        return self.recovered.torn_bytes + self._store.damaged_bytes

    @property
    def disk_failures(self) -> int:
        """How often the disk refused something."""
        return self._writer.failures

    @property
    def syncs(self) -> int:
        """How often the disk was asked to keep what it has."""
        return self._writer.syncs

    @property
    def maybe_trouble(self) -> str | None:
        """Why the disk takes or gives nothing at the moment, in words."""
        return self._writer.maybe_trouble or self._maybe_unreadable

    @property
    def maybe_failure(self) -> Exception | None:
        """What ended the writer, which nothing should: a fault of ours."""
        return self._writer.maybe_failure

    def append(self, captured_at: int, key: bytes, data: bytes) -> int:
        """Accept one message and give its number; waits for room as long as there is none."""
        return self._backlog.append(captured_at, key, data)

    def append_all(self, messages: Sequence[tuple[int, bytes, bytes]]) -> int:
        """Accept messages, each as time, key and data, in this order; give the last one's number.
        It waits for room as often as there is none.
        """
        return self._backlog.append_all(messages)

    def wait_until_durable(self, number: int, *, within_s: float) -> bool:
        """Wait until a power cut would not take this message any more; say whether it is so."""
        deadline_s = time.monotonic() + within_s
        while self.durable < number and time.monotonic() < deadline_s:
            time.sleep(_LOOK_EVERY_S)
        return self.durable >= number

    def read(self, after: int, *, wait_s: float) -> list[Entry]:
        """Give the next entries behind this number; none if none comes within the time.

        From memory, or from the disk where the sender has fallen behind.
        """
        durable = self._backlog.durable
        maybe_entries = self._read_memory(after, wait_s=wait_s)
        if maybe_entries is not None:
            return maybe_entries
        try:
            entries = self._store.read(after)
        except OSError as error:
            self._complain_unreadable(error)
            time.sleep(max(wait_s, _READ_AGAIN_S))
            return []
        self._maybe_unreadable = None
        if not entries and durable > after:
            # All of it was dropped or damaged: what is left is in memory.
            self._store.pass_over(after, durable)
            return self._read_memory(durable, wait_s=0.0) or []
        readable = self._backlog.readable
        return [entry for entry in entries if entry.sequence <= readable]

    def rewind(self) -> None:
        """Say that the sender begins anew behind the cursor."""
        self._store.mark_taken(self.cursor)

    def release(self, through: int) -> None:
        """Say that Kafka has everything up to this number."""
        if through > self.cursor:
            self.cursor = through
            self._backlog.release(through)
            with contextlib.suppress(OSError):
                self._store.release(through)
        now_s = time.monotonic()
        if self.cursor > self._cursor_written and (
            now_s - self._cursor_written_at_s >= _CURSOR_EVERY_S
        ):
            self._cursor_written_at_s = now_s
            self._write_cursor()

    def lift_bounds(self) -> None:
        """Let nobody wait for room any more: the end is near, and what has arrived is to be kept.

        Called by the agent when it stops listening; the kernel's buffers bound what still comes.
        """
        self._backlog.lift_bound()
        self._writer.lift_bound()

    def close(self, *, within_s: float) -> None:
        """Bring everything to the disk, as far as it lets us, and let go of the folder."""
        self._writer.close(within_s=within_s)
        with contextlib.suppress(OSError):
            self._store.close()
            self._store.release(self.cursor)
        self._write_cursor()
        self._lock.release()

    def _read_memory(self, after: int, *, wait_s: float) -> list[Entry] | None:
        return self._backlog.read(after, wait_s=wait_s, mark_taken=self._store.mark_taken)

    def _complain_unreadable(self, error: OSError) -> None:
        reason = str(error)
        if self._maybe_unreadable != reason:
            self._maybe_unreadable = reason
            self._tell(
                Level.ERROR,
                "spool_unreadable",
                f"A file of the spool can't be read ({reason}); nothing is sent until it can:"
                " look after the disk, or stop the agent and move the file away",
            )

    def _write_cursor(self) -> None:
        with contextlib.suppress(OSError):  # an old cursor only makes us send again
            write_cursor(self.directory, self.cursor)
            self._cursor_written = self.cursor

    def _tell_recovered(self) -> None:
        found = self.recovered
        if found.torn_bytes:
            self._tell(
                Level.WARNING,
                "spool_torn",
                "The last write before the end was torn; cut it off, all before it is whole",
                torn_bytes=found.torn_bytes,
            )
        if found.waiting:
            self._tell(
                Level.INFO,
                "spool_recovered",
                "Messages of an earlier run wait in the spool and go first",
                waiting=found.waiting,
            )
