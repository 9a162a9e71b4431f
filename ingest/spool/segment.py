"""One segment of the spool: a file of records whose name says all that a reader must know.

    00000000000000001234-9f3a77c2.v1.spool     the first sequence number, the salt, the format

There is no header that could be torn: a file is records from its first byte on. Written by the
spool's writer alone, at its end alone; read by anybody, up to a size that the writer has finished.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from ingest.errors import SpoolFormatError
from ingest.spool.record import RECORD_BYTES, SALT_LAST, Scanned, scan

FORMAT: Final = 1
SUFFIX: Final = ".spool"
READ_BYTES: Final = RECORD_BYTES
"""How much of a file is in memory at once: the longest record fits, so that a scan moves on."""

_NAME: Final = re.compile(r"(\d{20})-([0-9a-f]{8})\.v(\d{1,9})\.spool")
_OWNER_ONLY: Final = 0o600


class SegmentName(NamedTuple):
    """What the name of a file says."""

    first: int
    salt: int

    def __str__(self) -> str:
        return f"{self.first:020d}-{self.salt:08x}.v{FORMAT}{SUFFIX}"


def new_name(first: int) -> SegmentName:
    """Name a segment that will begin with this sequence number, with a salt nobody can guess."""
    return SegmentName(first, int.from_bytes(os.urandom(4)) & SALT_LAST)


def parse_name(path: Path) -> SegmentName:
    """Read the name of a file that ends as a segment does. Raises SpoolFormatError."""
    match = _NAME.fullmatch(path.name)
    if match is None:
        raise SpoolFormatError(
            f"{path} is no segment of a spool; move it out of the folder and start again"
        )
    if int(match[3]) != FORMAT:
        raise SpoolFormatError(
            f"{path} has format {int(match[3])}, and this version of Precede reads {FORMAT};"
            " let the version that wrote it publish the rest, or choose another spool.directory"
        )
    return SegmentName(int(match[1]), int(match[2], 16))


class SegmentWriter:
    """A new segment, open for writing. Every method may raise OSError; the file is then over."""

    def __init__(self, directory: Path, name: SegmentName) -> None:
        self.name = name
        self.path = directory / str(name)
        self.size = 0
        self.durable_size = 0
        flags = os.O_CREAT | os.O_EXCL | os.O_WRONLY | os.O_APPEND
        self._file = os.open(self.path, flags, _OWNER_ONLY)
        try:
            # The entry in the folder must be as durable as what the file will hold.
            sync_directory(directory)
        except OSError:
            os.close(self._file)
            raise

    def write(self, data: bytes) -> None:
        """Append these bytes, all of them."""
        view = memoryview(data)
        while view:
            view = view[os.write(self._file, view) :]
        self.size += len(data)

    def sync(self) -> None:
        """Return when everything written so far would survive a power cut."""
        size = self.size
        os.fdatasync(self._file)
        self.durable_size = size

    def close(self) -> None:
        """Let go of the file; what is not synced is in the kernel's hands."""
        os.close(self._file)


def read_from(path: Path, salt: int, *, offset: int, limit: int) -> Scanned:
    """Scan one piece of a segment that begins at `offset` and ends at `limit` at the latest."""
    with path.open("rb") as opened:
        opened.seek(offset)
        return scan(opened.read(min(READ_BYTES, limit - offset)), salt)


def read_all(path: Path, salt: int) -> Iterator[tuple[int, Scanned]]:
    """Scan a whole segment piece by piece; gives where each piece begins, and what it holds."""
    limit = path.stat().st_size
    offset = 0
    while offset < limit:
        scanned = read_from(path, salt, offset=offset, limit=limit)
        yield offset, scanned
        if not scanned.through:
            return
        offset += scanned.through


def sync_directory(directory: Path) -> None:
    """Make the names in a folder durable."""
    opened = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        os.fsync(opened)
    finally:
        os.close(opened)
