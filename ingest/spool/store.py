"""The segments of one folder as one sequence of entries: written at its end, read, released.

    released    waiting                                next
    ────────┬──────────┬──────────┬──────────┬───────────
            │ 101 ..   │ 140 ..   │ 199 ..   │ 231 .. 250│       each box is one file
    cursor ─┘          sealed                  active

Single steps without threads or policies of its own: `spool.py` brings those. Two threads use a
store, the writer (`write`, `sync`, `abandon_active`, `remove_untaken`) and the sender (`read`,
`release`); one lock keeps the list of files true for both.

Opening it is recovery: the last file is scanned, and what follows its last whole record (a write
that a crash cut short) is cut off. Earlier files were synced before the next one was begun, so
they are checked when they are read.
"""

import contextlib
import os
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.errors import SpoolError
from ingest.spool.cursor import read_cursor
from ingest.spool.reader import Reader, SegmentFile
from ingest.spool.record import Entry, encode_records
from ingest.spool.segment import SUFFIX, SegmentWriter, new_name, parse_name, read_all


class Recovered(NamedTuple):
    """What opening a folder found."""

    cursor: int
    last: int
    """The sequence number of the last entry; at least the cursor."""
    torn_bytes: int
    """Cut from the end of the last file: a write that a crash interrupted."""

    @property
    def waiting(self) -> int:
        """How many entries wait for Kafka, at most: damage may have taken some."""
        return self.last - self.cursor


class Store:
    """The files of a folder that this process has locked."""

    def __init__(self, directory: Path, *, segment_bytes: int) -> None:
        """Open and recover. Raises SpoolFormatError for files of another version."""
        self._directory = directory
        self._segment_bytes = segment_bytes
        self._lock = threading.Lock()
        self._maybe_active: SegmentWriter | None = None
        try:
            self._sealed, self.recovered = _recover(directory)
        except OSError as error:
            raise SpoolError(
                f"the spool in {directory} can't be read ({error.strerror});"
                " look after the disk, or set spool.directory to another folder"
            ) from None
        self._written = self._durable = self.recovered.last
        self._taken = self.recovered.cursor
        self._gone: list[range] = []
        self.gone = 0
        """How many numbers were given up on purpose, since the start."""
        self._reader = Reader(cursor=self.recovered.cursor)

    @property
    def total_bytes(self) -> int:
        """How much the files take on the disk."""
        with self._lock:
            return sum(file.size for file in self._files())

    @property
    def durable(self) -> int:
        """Up to which number a power cut takes nothing; a file is synced before the next begins."""
        return self._durable

    @property
    def taken(self) -> int:
        """Up to which number the sender has everything that is left."""
        return self._taken

    @property
    def missing(self) -> int:
        """How many entries were written and could not be found again."""
        return self._reader.missing

    @property
    def damaged_bytes(self) -> int:
        """How many bytes of the files that were read are no records."""
        return self._reader.damaged_bytes

    def write(self, entries: Sequence[Entry]) -> None:
        """Append entries, ascending. Raises OSError: then call `abandon_active` and write again
        all behind `durable`.
        """
        active = self._active_for(entries[0].sequence)
        active.write(encode_records(entries, active.name.salt))
        self._written = entries[-1].sequence

    def sync(self) -> None:
        """Make everything written durable. Raises OSError, as `write` does."""
        if self._maybe_active is not None:
            written = self._written
            self._maybe_active.sync()
            self._durable = written

    def abandon_active(self) -> None:
        """Give up the file that failed, cut to what is durable; the next write begins a new one."""
        with self._lock:
            active, self._maybe_active = self._maybe_active, None
            if active is None:
                return
            # What stays behind if this fails too is read as entries that are there twice.
            with contextlib.suppress(OSError):
                active.close()
                os.truncate(active.path, active.durable_size)
                if not active.durable_size:
                    active.path.unlink()
            if active.durable_size:
                self._sealed.append(_file_of(active, last=self._durable, size=active.durable_size))
            self._written = self._durable

    def read(self, after: int) -> list[Entry]:
        """Give the next entries behind this sequence number; none if all that is written was read.

        They count as taken: `remove_untaken` spares them. May raise OSError.
        """
        with self._lock:
            entries = self._reader.read(self._files(), after)
            if entries:
                self._taken = entries[-1].sequence
            return entries

    def pass_over(self, after: int, through: int) -> None:
        """Say that `read` gave nothing behind `after`, though all up to `through` was written."""
        with self._lock:
            self._reader.pass_over(after, through)

    def mark_taken(self, through: int) -> None:
        """Say that the sender has everything up to here, though not from `read`."""
        with self._lock:
            self._taken = through

    def release(self, through: int) -> None:
        """Remove the files that hold nothing behind this sequence number. May raise OSError."""
        with self._lock:
            gone = [file for file in self._sealed if file.last <= through]
            self._sealed = [file for file in self._sealed if file.last > through]
            self._gone = [gone for gone in self._gone if gone.stop - 1 > through]
        for file in gone:
            file.path.unlink(missing_ok=True)

    def oldest_untaken(self) -> SegmentFile | None:
        """Give the oldest file that the sender has not begun; the active one is never given."""
        with self._lock:
            return next((file for file in self._sealed if file.name.first > self._taken), None)

    def remove_untaken(self, file: SegmentFile) -> bool:
        """Remove a file unless the sender has begun it by now; say whether it is gone.

        What the sender has begun is on its way and will be acknowledged, so it is not dropped.
        """
        with self._lock:
            if file not in self._sealed or file.name.first <= self._taken:
                return False
            file.path.unlink(missing_ok=True)
            self._sealed.remove(file)
            self._explain(range(file.name.first, file.last + 1))
            return True

    def explain(self, gone: range) -> None:
        """Say that these numbers are in no file on purpose."""
        with self._lock:
            self._explain(gone)

    def gone_waiting(self, cursor: int) -> int:
        """Give how many numbers behind the cursor are in no file on purpose."""
        with self._lock:
            return sum(max(0, gone.stop - max(gone.start, cursor + 1)) for gone in self._gone)

    def close(self) -> None:
        """Sync and let go of the active file. May raise OSError."""
        with self._lock:
            self._seal_active()

    def _explain(self, gone: range) -> None:
        self._reader.explain(gone)
        self._gone.append(gone)
        self.gone += len(gone)

    def _files(self) -> list[SegmentFile]:
        active = self._maybe_active
        if active is None:
            return self._sealed
        return [*self._sealed, _file_of(active, last=self._written, size=active.size)]

    def _active_for(self, first: int) -> SegmentWriter:
        """Give the file to write to: a new one if there is none or it has grown enough."""
        with self._lock:
            if self._maybe_active is not None and self._maybe_active.size >= self._segment_bytes:
                self._seal_active()
            if self._maybe_active is None:
                self._maybe_active = SegmentWriter(self._directory, new_name(first))
            return self._maybe_active

    def _seal_active(self) -> None:
        active = self._maybe_active
        if active is None:
            return
        active.sync()
        self._durable = self._written
        active.close()
        self._maybe_active = None
        self._sealed.append(_file_of(active, last=self._written, size=active.size))


def _file_of(segment: SegmentWriter, *, last: int, size: int) -> SegmentFile:
    return SegmentFile(segment.name, last, size, segment.path)


def _recover(directory: Path) -> tuple[list[SegmentFile], Recovered]:
    """List the files, cut the torn end of the last one, and find where the sequence goes on."""
    paths = sorted(path for path in directory.iterdir() if path.name.endswith(SUFFIX))
    names = [parse_name(path) for path in paths]
    cursor = read_cursor(directory) or 0
    if names:
        cursor = max(cursor, names[0].first - 1)
    sealed: list[SegmentFile] = []
    torn_bytes = 0
    last = cursor
    for number, (path, name) in enumerate(zip(paths, names, strict=True)):
        size = path.stat().st_size
        if number + 1 < len(names):
            last_of_file = names[number + 1].first - 1
        else:
            last_of_file, whole = _end_of(path, name.salt, before=name.first - 1)
            torn_bytes = size - whole
            size = whole
            _cut(path, size=size)
        last = max(last, last_of_file)
        if size:
            sealed.append(SegmentFile(name, last_of_file, size, path))
    return sealed, Recovered(cursor, last, torn_bytes)


def _end_of(path: Path, salt: int, *, before: int) -> tuple[int, int]:
    """Give the sequence number of the last whole record of a file, and where that record ends."""
    last, end = before, 0
    for offset, scanned in read_all(path, salt):
        if scanned.entries:
            last, end = scanned.entries[-1].sequence, offset + scanned.whole_through
    return last, end


def _cut(path: Path, *, size: int) -> None:
    if not size:
        path.unlink()
    elif size < path.stat().st_size:
        os.truncate(path, size)
