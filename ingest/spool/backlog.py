"""The part of the spool that is in memory: what the disk has not taken, and what Kafka may want.

    append ─> pending ─> (writer: disk) ─┐
         └──> recent, by number ─────────┴─> read ─> (sender: Kafka) ─> release

Both are bounded. `pending` full makes `append` wait: that is the only place where a capture ever
stands still. `recent` full lets go of its oldest entries that the disk has; the sender then reads
those from there.
"""

import sys
import threading
import time
from collections.abc import Callable, Sequence
from typing import Final

from ingest.errors import SpoolClosedError
from ingest.spool.record import HEAD_BYTES, Entry, EntryKind, size_of

PENDING_BYTES: Final = 8 * 1024 * 1024
"""What may wait for the disk: more than half a second at 50,000 messages a second."""

RECENT_BYTES: Final = 32 * 1024 * 1024
"""What is kept for the sender, so that it reads the disk only when it has fallen behind."""

READ_ENTRIES: Final = 1_024
"""What one read gives at most: a few milliseconds' work, so that the lock is never held long."""

_WAIT_FOR_ROOM_S: Final = 0.1
_new: Final = tuple.__new__


class Backlog:
    """Numbers and holds entries. Any thread appends; one writes; one reads and releases."""

    def __init__(
        self,
        *,
        last: int,
        is_durable_before_read: bool,
        pending_bytes: int = PENDING_BYTES,
        recent_bytes: int = RECENT_BYTES,
    ) -> None:
        self.last = last
        self.durable = last
        self.blocked = 0
        """How often an append had to wait."""
        self._is_durable_before_read = is_durable_before_read
        self._most_pending_bytes = pending_bytes
        self._most_recent_bytes = recent_bytes
        self._pending: list[Entry] = []
        self._pending_bytes = 0
        self._recent: dict[int, Entry] = {}
        self._recent_from = last + 1
        self._recent_bytes = 0
        self._is_closed = False
        self._is_read_awaited = False
        self._is_work_awaited = False
        self._lock = threading.Lock()
        self._has_room = threading.Condition(self._lock)
        self._has_work = threading.Condition(self._lock)
        self._has_more = threading.Condition(self._lock)

    @property
    def readable(self) -> int:
        """Up to which number the sender may read."""
        return self.durable if self._is_durable_before_read else self.last

    @property
    def pending_bytes(self) -> int:
        """How much waits for the disk."""
        return self._pending_bytes

    @property
    def is_full(self) -> bool:
        """Whether an append would have to wait now."""
        return self._pending_bytes >= self._most_pending_bytes

    def append(self, captured_at: int, key: bytes, data: bytes) -> int:
        """Take one message and give its number; waits for room. Raises SpoolClosedError."""
        return self.append_all(((captured_at, key, data),))

    def append_all(self, messages: Sequence[tuple[int, bytes, bytes]]) -> int:
        """Take messages and give the last one's number; waits for room. Raises SpoolClosedError.

        The hot path of the agent: one turn of the lock for many messages, and an entry is made
        without the named constructor's own Python frame.
        """
        kind = EntryKind.MESSAGE
        with self._lock:
            self._wake()
            sequence = self.last
            for captured_at, key, data in messages:
                if self._pending_bytes >= self._most_pending_bytes or self._is_closed:
                    self._wait_for_room()
                    sequence = self.last
                sequence += 1
                entry = _new(Entry, (sequence, captured_at, key, data, kind))
                size = HEAD_BYTES + len(key) + len(data)
                self.last = sequence
                self._pending.append(entry)
                self._pending_bytes += size
                self._recent[sequence] = entry
                self._recent_bytes += size
            return sequence

    def append_notice(self, captured_at: int, key: bytes, data: bytes) -> int:
        """Take a notice at once: the writer makes few of them, and must never wait for itself."""
        with self._lock:
            self._wake()
            sequence = self.last = self.last + 1
            entry = Entry(sequence, captured_at, key, data, EntryKind.GAP_NOTICE)
            self._pending.append(entry)
            self._pending_bytes += entry.size
            self._recent[sequence] = entry
            self._recent_bytes += entry.size
            return sequence

    def wait_for_work(self, within_s: float) -> bool:
        """Wait until something is pending; say whether it is. Called by the writer."""
        with self._lock:
            if not self._pending and not self._is_closed:
                self._is_work_awaited = True
                self._has_work.wait(within_s)
                self._is_work_awaited = False
            return bool(self._pending)

    def take_pending(self) -> list[Entry]:
        """Hand over what is pending; it goes on to count as pending until `mark_written`."""
        with self._lock:
            batch, self._pending = self._pending, []
            return batch

    def put_back(self, entries: Sequence[Entry], *, cursor: int, written: Sequence[Entry]) -> None:
        """Take back entries that the disk has refused, but for those that Kafka has by now.

        `written` had been marked as written and are pending again.
        """
        with self._lock:
            kept = [entry for entry in (*written, *entries) if entry.sequence > cursor]
            self._pending = kept + [e for e in self._pending if e.sequence > cursor]
            self._pending_bytes = size_of(self._pending)
            if self._pending_bytes < self._most_pending_bytes:
                self._has_room.notify_all()

    def mark_written(self, size: int) -> None:
        """Say that so many bytes of what was taken are on their way to the disk."""
        with self._lock:
            self._pending_bytes -= size
            if self._pending_bytes < self._most_pending_bytes:
                self._has_room.notify_all()

    def mark_durable(self, through: int) -> None:
        """Say up to where a power cut would take nothing."""
        with self._lock:
            self.durable = max(self.durable, through)
            self._evict()
            if self._is_read_awaited:
                self._has_more.notify()

    def drop_pending(self, *, beyond: int) -> list[Entry]:
        """Give up the older half of what is pending and the sender has not begun."""
        with self._lock:
            droppable = [entry for entry in self._pending if entry.sequence > beyond]
            gone = droppable[: (len(droppable) + 1) // 2]
            if gone:
                numbers = range(gone[0].sequence, gone[-1].sequence + 1)
                self._pending = [e for e in self._pending if e.sequence not in numbers]
                for entry in gone:
                    self._forget(entry.sequence)
                self._pending_bytes -= size_of(gone)
                self._has_room.notify_all()
            return gone

    @property
    def guard(self) -> threading.Lock:
        """Held while a file is dropped, so that nobody takes from memory what it held."""
        return self._lock

    def forget_guarded(self, gone: range) -> None:
        """Forget what was dropped; the caller holds the guard."""
        for sequence in gone:
            self._forget(sequence)

    def read(
        self, after: int, *, wait_s: float, mark_taken: Callable[[int], None]
    ) -> list[Entry] | None:
        """Give the next entries behind a number; none if there are none within the time.

        None at all (`None`) if they are not in memory any more. What is given counts as taken.
        """
        deadline_s = time.monotonic() + wait_s
        with self._lock:
            while self.readable <= after and not self._is_closed:
                left_s = deadline_s - time.monotonic()
                if left_s <= 0:
                    return []
                self._is_read_awaited = True
                self._has_more.wait(left_s)
                self._is_read_awaited = False
            recent = self._recent
            if after >= self.durable and after + 1 not in recent:
                # What the disk does not have is in memory, but for what `drop_pending` gave up.
                after = min((n for n in recent if n > after), default=after + 1) - 1
            end = min(self.readable, after + READ_ENTRIES) + 1
            found = [recent[n] for n in range(after + 1, end) if n in recent]
            is_whole = len(found) == max(0, end - after - 1)
            if not is_whole and after < self.durable:
                return None
            if found:
                mark_taken(found[-1].sequence)
            return found

    def release(self, through: int) -> None:
        """Let go of everything up to this number."""
        with self._lock:
            end = min(through, self.last) + 1
            pop = self._recent.pop
            gone = [pop(number, None) for number in range(self._recent_from, end)]
            self._recent_from = max(self._recent_from, end)
            self._recent_bytes -= size_of([entry for entry in gone if entry is not None])

    def lift_bound(self) -> None:
        """Let appends pass from now on, however much is pending."""
        with self._lock:
            self._most_pending_bytes = sys.maxsize
            self._has_room.notify_all()

    def close(self) -> None:
        """Take nothing more; whoever waits stops waiting."""
        with self._lock:
            self._is_closed = True
            for condition in (self._has_room, self._has_work, self._has_more):
                condition.notify_all()

    def _wait_for_room(self) -> None:
        self.blocked += not self._is_closed
        while self._pending_bytes >= self._most_pending_bytes and not self._is_closed:
            self._has_room.wait(_WAIT_FOR_ROOM_S)
        if self._is_closed:
            raise SpoolClosedError

    def _wake(self) -> None:
        """Wake who waits for messages; they go on when the lock is free, and find them."""
        if self._is_work_awaited:
            self._has_work.notify()
        if self._is_read_awaited and not self._is_durable_before_read:
            self._has_more.notify()

    def _evict(self) -> None:
        """Forget the oldest entries beyond the bound, as far as the disk has them."""
        while self._recent_bytes > self._most_recent_bytes and self._recent_from <= self.durable:
            self._forget(self._recent_from)
            self._recent_from += 1

    def _forget(self, sequence: int) -> None:
        maybe_entry = self._recent.pop(sequence, None)
        if maybe_entry is not None:
            self._recent_bytes -= maybe_entry.size
