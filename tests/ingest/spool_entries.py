"""Entries for the tests of the spool, and what a folder holds."""

from pathlib import Path

from ingest.spool.record import Entry
from ingest.spool.segment import SUFFIX, parse_name, read_all
from ingest.spool.store import Store


def entry(sequence: int, *, key: bytes = b"dev", data: bytes | None = None) -> Entry:
    """Give a small entry whose bytes tell its number."""
    content = b"message %d" % sequence if data is None else data
    return Entry(sequence, 1_000 + sequence, key, content)


def entries(first: int, last: int) -> list[Entry]:
    """Give the entries first to last."""
    return [entry(sequence) for sequence in range(first, last + 1)]


def segment_paths(directory: Path) -> list[Path]:
    """The segment files of a folder in order."""
    return sorted(path for path in directory.iterdir() if path.name.endswith(SUFFIX))


def on_disk(directory: Path) -> list[Entry]:
    """Every whole record in a folder, read without a store."""
    return [
        found
        for path in segment_paths(directory)
        for _, scanned in read_all(path, parse_name(path).salt)
        for found in scanned.entries
    ]


def read_to_end(store: Store, after: int) -> list[Entry]:
    """All that a store gives behind a number."""
    found: list[Entry] = []
    while True:
        more = store.read(found[-1].sequence if found else after)
        if not more:
            return found
        found += more
