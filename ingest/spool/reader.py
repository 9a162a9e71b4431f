"""Read the entries of several segments as one sequence, from wherever the sender wants to go on.

Keeps its place, so that reading on costs nothing; asked for another place (the sender begins a new
session), it looks for the file and skips to it. A jump in the sequence numbers that nobody has
explained (`explain`) is counted as missing, once.
"""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from ingest.spool.record import Entry, Scanned
from ingest.spool.segment import READ_BYTES, SegmentName, read_from


class SegmentFile(NamedTuple):
    """A segment as a reader sees it: sorted by name, whole records up to its size."""

    name: SegmentName
    last: int
    size: int
    path: Path


class Reader:
    """The sender's place in a spool. Made by the store, used under its lock."""

    def __init__(self, *, cursor: int) -> None:
        self.missing = 0
        """How many entries were written and could not be found again."""
        self.damaged_bytes = 0
        self._maybe_after: int | None = None
        self._name = SegmentName(0, 0)
        self._offset = 0
        self._judged_through = cursor
        self._explained: list[range] = []

    def read(self, files: Sequence[SegmentFile], after: int) -> list[Entry]:
        """Give the next entries behind this sequence number; none at the end. May raise OSError."""
        if self._maybe_after != after:
            self._locate(files, after)
        while True:
            maybe_scanned = self._next_piece(files)
            if maybe_scanned is None:
                return []
            entries = [entry for entry in maybe_scanned.entries if entry.sequence > after]
            if entries:
                self._maybe_after = entries[-1].sequence
                self._judge(after, entries)
                return entries

    def explain(self, gone: range) -> None:
        """Say that these sequence numbers are missing on purpose."""
        self._explained.append(gone)

    def pass_over(self, after: int, through: int) -> None:
        """Take note that no file holds these numbers any more: what nobody explained is missing."""
        previous = max(after, self._judged_through)
        if through > previous:
            self.missing += self._unexplained(range(previous + 1, through + 1))
            self._judged_through = through

    def _locate(self, files: Sequence[SegmentFile], after: int) -> None:
        """Go to the last file that begins early enough to hold the next entry."""
        index = bisect_right([file.name.first for file in files], after + 1) - 1
        self._name = files[max(0, index)].name if files else SegmentName(0, 0)
        self._offset = 0
        self._maybe_after = after

    def _next_piece(self, files: Sequence[SegmentFile]) -> Scanned | None:
        """Scan on from the place; None if there is nothing more."""
        index = bisect_left(files, self._name, key=lambda file: file.name)
        while index < len(files):
            file = files[index]
            if file.name != self._name:
                self._name, self._offset = file.name, 0
            if self._offset < file.size:
                return self._scan_on(file)
            index += 1
        return None

    def _scan_on(self, file: SegmentFile) -> Scanned:
        offset, size = self._offset, file.size
        scanned = read_from(file.path, file.name.salt, offset=offset, limit=size)
        self._offset += scanned.through
        self.damaged_bytes += scanned.damaged_bytes
        if offset + READ_BYTES >= size or not scanned.through:
            # What follows the last whole record of a file was torn.
            self.damaged_bytes += size - self._offset
            self._offset = size
        return scanned

    def _judge(self, after: int, entries: Sequence[Entry]) -> None:
        """Count the numbers that should have come before and between these."""
        previous = max(after, self._judged_through)
        for entry in entries:
            if entry.sequence > previous + 1:
                self.missing += self._unexplained(range(previous + 1, entry.sequence))
            previous = max(previous, entry.sequence)
        self._judged_through = previous
        self._explained = [gone for gone in self._explained if gone.stop > previous]

    def _unexplained(self, jump: range) -> int:
        explained = sum(
            max(0, min(jump.stop, gone.stop) - max(jump.start, gone.start))
            for gone in self._explained
        )
        return len(jump) - explained
