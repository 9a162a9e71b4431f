"""The spool's writer: one thread that brings what is pending to the disk, within the rules.

Each turn: 1. make room as the policy says; 2. write what is pending in one call; 3. sync if it is
time. Whatever the disk answers, nothing that was accepted is lost while the agent lives: what is
not synced stays in memory and is written again, to a new file, until it works. Meanwhile `pending`
fills, and then the policy decides: the capture stands still, or the oldest messages go.
"""

import contextlib
import errno
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from ingest.spool.backlog import Backlog
from ingest.spool.dropped import Dropped, count_dropped, gap_notices
from ingest.spool.record import Entry, size_of
from ingest.spool.segment import read_all
from ingest.spool.settings import SpoolSettings, WhenFull
from ingest.spool.store import Store
from ingest.telemetry.journal import Level, Tell

_GATHER_S: Final = 0.004
"""How long the writer lets messages gather, where they need not be durable at once: a write costs
the same for one and for hundreds."""

_WAIT_FOR_ROOM_S: Final = 0.05
_RETRY_S: Final = 0.2
_IDLE_S: Final = 0.5
_UNSYNCED_BYTES: Final = 8 * 1024 * 1024
"""What may be written and not synced: it is kept in memory to be written again if a sync fails."""

_MILLISECONDS_PER_SECOND: Final = 1_000


class SpoolWriter:
    """Owns the store's end of writing. Made, started and closed by the spool."""

    def __init__(
        self,
        backlog: Backlog,
        store: Store,
        settings: SpoolSettings,
        *,
        agent: str,
        cursor: Callable[[], int],
        tell: Tell,
    ) -> None:
        self.dropped = 0
        """Messages given up to make room."""
        self.syncs = 0
        self.failures = 0
        """How often the disk refused a write or a sync."""
        self.maybe_failure: Exception | None = None
        """What ended the thread, which nothing should: a fault of ours."""
        self.maybe_trouble: str | None = None
        """Why the disk takes nothing at the moment, in words."""
        self._backlog = backlog
        self._store = store
        self._settings = settings
        self._agent = agent
        self._cursor = cursor
        self._tell = tell
        self._sync_every_s = settings.sync_every_ms / _MILLISECONDS_PER_SECOND
        self._synced_at_s = time.monotonic()
        self._unsynced: list[Entry] = []
        self._unsynced_bytes = 0
        self._is_closing = threading.Event()
        self._is_unbounded = False
        self._give_up_at_s = float("inf")
        self._thread = threading.Thread(target=self._run, name="spool writer", daemon=True)

    def start(self) -> None:
        """Begin to write."""
        self._thread.start()

    def lift_bound(self) -> None:
        """Let the spool grow beyond its bound from now on."""
        self._is_unbounded = True

    def close(self, *, within_s: float) -> None:
        """Write and sync what is left, if the disk lets us within the time, and end."""
        self._give_up_at_s = time.monotonic() + within_s
        self._is_unbounded = True
        self._is_closing.set()
        self._backlog.close()
        self._thread.join()

    def _run(self) -> None:
        try:
            self._write_on()
        except Exception as error:  # the thread has no caller: the agent looks here
            self.maybe_failure = error

    def _write_on(self) -> None:
        while True:
            has_work = self._backlog.wait_for_work(self._patience_s())
            if has_work and self._sync_every_s:
                self._is_closing.wait(_GATHER_S)
            self._turn()
            if self._is_closing.is_set() and (
                self._is_all_synced() or time.monotonic() > self._give_up_at_s
            ):
                return

    def _turn(self) -> None:
        """Write what is pending and sync if it is time; on a refusal, keep it all and wait."""
        batch: list[Entry] = []
        try:
            if self._has_room():
                batch = self._backlog.take_pending()
            if batch:
                self._store.write(batch)
                size = size_of(batch)
                self._backlog.mark_written(size)
                self._unsynced += batch
                self._unsynced_bytes += size
                batch = []
            if self._unsynced and self._is_sync_due():
                self._sync()
        except OSError as error:
            self._keep(batch, error)
        else:
            self._recover()

    def _sync(self) -> None:
        self._store.sync()
        self.syncs += 1
        self._synced_at_s = time.monotonic()
        through = self._unsynced[-1].sequence
        self._unsynced, self._unsynced_bytes = [], 0
        self._backlog.mark_durable(through)

    def _has_room(self) -> bool:
        """Make room for what is pending if there is none; say whether there is now.

        At the end the bound gives way: what was accepted is kept.
        """
        most = self._settings.maximum_bytes
        while self._store.total_bytes + self._backlog.pending_bytes > most:
            if self._is_unbounded:
                return True
            is_dropping = self._settings.when_full is WhenFull.DROP_OLDEST
            if not (is_dropping and self._drop_file()):
                self._is_closing.wait(_WAIT_FOR_ROOM_S)
                return False
        return True

    def _drop_file(self) -> bool:
        """Give up the oldest file that the sender has not begun; say whether there was one."""
        maybe_file = self._store.oldest_untaken()
        if maybe_file is None:
            return False
        dropped = count_dropped(
            entry
            for _, scanned in read_all(maybe_file.path, maybe_file.name.salt)
            for entry in scanned.entries
        )
        with self._backlog.guard:
            if not self._store.remove_untaken(maybe_file):
                return False
            self._backlog.forget_guarded(range(maybe_file.name.first, maybe_file.last + 1))
        self._note(dropped)
        return True

    def _keep(self, batch: Sequence[Entry], error: OSError) -> None:
        """Take back all that is not durable, begin a new file, and let the policy make room."""
        self.failures += 1
        self._store.abandon_active()
        durable = self._store.durable
        written = [entry for entry in self._unsynced if entry.sequence > durable]
        self._unsynced, self._unsynced_bytes = [], 0
        self._backlog.mark_durable(durable)
        self._backlog.put_back(batch, cursor=self._cursor(), written=written)
        self._complain(error)
        if self._settings.when_full is WhenFull.DROP_OLDEST:
            self._drop_for(error)
        self._is_closing.wait(_RETRY_S)

    def _drop_for(self, error: OSError) -> None:
        """Make room on a full disk by files of our own, else in memory once that is full."""
        with contextlib.suppress(OSError):
            if error.errno == errno.ENOSPC and self._drop_file():
                return
        if self._backlog.is_full:
            gone = self._backlog.drop_pending(beyond=self._store.taken)
            if gone:
                self._store.explain(range(gone[0].sequence, gone[-1].sequence + 1))
                self._note(count_dropped(gone))

    def _note(self, dropped: Dropped) -> None:
        """Count what was given up, and let a notice for each group go the same way."""
        self.dropped += dropped.entries - dropped.notices
        for captured_at, key, data in gap_notices(dropped, agent=self._agent):
            self._backlog.append_notice(captured_at, key, data)
        self._tell(
            Level.ERROR,
            "spool_dropped",
            "The spool is full and gave up its oldest messages; bring Kafka back or raise"
            " spool.maximum_bytes",
            messages=dropped.entries - dropped.notices,
            groups=len(dropped.by_key),
            messages_so_far=self.dropped,
        )

    def _complain(self, error: OSError) -> None:
        reason = error.strerror or str(error)
        if self.maybe_trouble != reason:
            self.maybe_trouble = reason
            self._tell(
                Level.ERROR,
                "spool_disk",
                f"The disk does not take the spool ({reason}); free some space in"
                f" {self._settings.directory} or look after it; messages wait in memory",
                pending_bytes=self._backlog.pending_bytes,
            )

    def _recover(self) -> None:
        if self.maybe_trouble is not None:
            self.maybe_trouble = None
            self._tell(Level.INFO, "spool_disk_back", "The disk takes the spool again")

    def _is_sync_due(self) -> bool:
        is_due = time.monotonic() - self._synced_at_s >= self._sync_every_s
        is_much = self._unsynced_bytes >= _UNSYNCED_BYTES
        return is_due or is_much or self._is_closing.is_set()

    def _is_all_synced(self) -> bool:
        return not self._unsynced and not self._backlog.pending_bytes

    def _patience_s(self) -> float:
        """Give how long to wait for work: until the next sync, if something waits for it."""
        if not self._unsynced:
            return _IDLE_S
        return max(0.001, self._synced_at_s + self._sync_every_s - time.monotonic())
