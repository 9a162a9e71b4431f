"""Pack messages that wait for the same raw partition into one record, within bounds.

    entry   1 a   2 b   3 a   4 a          group a lives in partition 0, b in partition 1
    bundle  [1 3 4] for partition 0, [2] for partition 1

A bundle is sent when it is large enough or its first message has waited for the linger. Order
within a partition is kept, so order within a group is. Pure: the caller says what time it is.
"""

from typing import Final, NamedTuple

from ingest.publish_settings import ONE_PER_RECORD
from ingest.spool.record import Entry
from ingest.wire.bounds import BUNDLE_ENTRIES
from ingest.wire.bundle import ENTRY_FIXED_BYTES, pack
from ingest.wire.partition import partition_of_key

_KNOWN_GROUPS: Final = 65_536
"""Groups whose partition is remembered: computing it takes longer than all the rest of packing."""


class Record(NamedTuple):
    """One record for the raw topic: `first` is the lowest number of the spool that it holds."""

    partition: int
    maybe_key: bytes | None
    value: bytes
    first: int
    messages: int


class _Open(NamedTuple):
    """A bundle that is being filled."""

    first: int
    due_at_s: float
    entries: list[tuple[int, bytes]]


class Packer:
    """Fills one bundle for each partition. Made by the publisher for each of its sessions."""

    def __init__(self, *, partitions: int, pack_bytes: int, linger_s: float) -> None:
        self._partitions = partitions
        self._pack_bytes = pack_bytes
        self._linger_s = linger_s
        self._open: dict[int, _Open] = {}
        self._sizes: dict[int, int] = {}
        self._known: dict[bytes, int] = {}

    @property
    def maybe_first(self) -> int | None:
        """The lowest number of the spool that stands in a bundle not yet sent."""
        return min((bundle.first for bundle in self._open.values()), default=None)

    @property
    def maybe_due_at_s(self) -> float | None:
        """When the next bundle must be sent at the latest; None if none is open."""
        return min((bundle.due_at_s for bundle in self._open.values()), default=None)

    def add(self, entry: Entry, *, now_s: float) -> Record | None:
        """Take the next entry; give a record that is ready because of it."""
        maybe_partition = self._known.get(entry.key)
        partition = self._learn(entry.key) if maybe_partition is None else maybe_partition
        if self._pack_bytes == ONE_PER_RECORD:
            return Record(partition, entry.key, entry.data, entry.sequence, 1)
        maybe_ready = None
        maybe_open = self._open.get(partition)
        size = len(entry.data) + ENTRY_FIXED_BYTES
        if maybe_open is not None and (
            self._sizes[partition] + size > self._pack_bytes
            or len(maybe_open.entries) == BUNDLE_ENTRIES
        ):
            maybe_ready = self._close(partition)
            maybe_open = None
        if maybe_open is None:
            maybe_open = _Open(entry.sequence, now_s + self._linger_s, [])
            self._open[partition] = maybe_open
            self._sizes[partition] = 0
        maybe_open.entries.append((entry.captured_at, entry.data))
        self._sizes[partition] += size
        return maybe_ready

    def due(self, *, now_s: float) -> list[Record]:
        """Give the bundles whose time has come."""
        partitions = [p for p, bundle in self._open.items() if bundle.due_at_s <= now_s]
        return [self._close(partition) for partition in partitions]

    def _close(self, partition: int) -> Record:
        first, _, entries = self._open.pop(partition)
        return Record(partition, None, pack(entries), first, len(entries))

    def _learn(self, key: bytes) -> int:
        if len(self._known) >= _KNOWN_GROUPS:
            self._known.clear()
        partition = self._known[key] = partition_of_key(key, self._partitions)
        return partition
