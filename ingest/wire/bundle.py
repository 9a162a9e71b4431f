"""The bundle, version 1: several captured datagrams of one raw partition in one Kafka record.

An agent packs what it captured for a partition; the job, `verify` and every other reader of the
raw topic cut it. A record that does not start with `MAGIC` is a plain one and carries one datagram.
All numbers are big-endian:

     0  4s magic "PRCB"     4 B version (1)   5 B reserved (0)   6 H count
     8  count * Q captured_at (microseconds since the epoch) | count * I length
        the entries, one after the other, as they were captured

    50524342 01 00 0002  00000000000003e8 00000000000003e9  00000002 00000003  "hi" "you"

The count is checked before the lengths are read, and the sum of the lengths before an entry is
cut. Entries are any bytes: what is wrong with one of them is that one's affair. A bundle inside a
bundle is not cut: its magic is no envelope's.
"""

from collections.abc import Sequence
from functools import lru_cache
from struct import Struct
from typing import Final, NamedTuple

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason

MAGIC: Final = b"PRCB"
VERSION: Final = 1

_HEAD: Final = Struct(">4sBBH")
HEAD_BYTES: Final = _HEAD.size
ENTRY_FIXED_BYTES: Final = 12
"""What an entry takes beside its own bytes: captured_at (8) and its length (4)."""


class Entry(NamedTuple):
    """One captured datagram: when an agent captured it, and its bytes."""

    captured_at: int
    content: bytes


def pack(entries: Sequence[tuple[int, bytes]]) -> bytes:
    """Write one bundle of pairs (captured_at, content), in the order of capture.

    Called by the agent. Raises WireError for a bundle that `cut` would refuse; whoever fills it
    watches `bounds.BUNDLE_ENTRIES` and `bounds.BUNDLE_BYTES`.
    """
    count = len(entries)
    _check_count(count)
    times = [captured_at for captured_at, _ in entries]
    contents = [content for _, content in entries]
    lengths = [len(content) for content in contents]
    size = HEAD_BYTES + count * ENTRY_FIXED_BYTES + sum(lengths)
    _check_size(size)
    if min(times) < 0:
        raise WireError(WireReason.BAD_CAPTURED_AT, f"captured_at {min(times)} is before 0")
    _check_times(times)
    head = _HEAD.pack(MAGIC, VERSION, 0, count)
    return b"".join((head, _index_of(count).pack(*times, *lengths), *contents))


def is_bundle(value: bytes) -> bool:
    """Tell whether a raw record's value must be cut; a plain envelope has another magic."""
    return value[:4] == MAGIC


def cut(value: bytes) -> list[tuple[int, bytes]]:
    """Cut a bundle into pairs (captured_at, content). Raises WireError and nothing else.

    The pairs are plain ones, because the job cuts millions; `entries_of` gives them names.
    """
    size = len(value)
    if size < HEAD_BYTES:
        raise WireError(WireReason.TOO_SHORT, f"{size} bytes; a bundle has at least {HEAD_BYTES}")
    magic, version, reserved, count = _HEAD.unpack_from(value)
    if magic != MAGIC:
        raise WireError(WireReason.NOT_OURS, f"starts with {magic!r}, not with {MAGIC!r}")
    if version != VERSION:
        raise WireError(
            WireReason.UNKNOWN_VERSION, f"version {version}; this reader knows {VERSION}"
        )
    if reserved:
        raise WireError(WireReason.UNKNOWN_FLAGS, f"flags {reserved:#04x}; none is known")
    _check_count(count)
    _check_size(size)
    start = HEAD_BYTES + count * ENTRY_FIXED_BYTES
    if size < start:
        raise WireError(
            WireReason.TOO_SHORT, f"{size} bytes; {count} entries take {start} before their own"
        )
    index = _index_of(count).unpack_from(value, HEAD_BYTES)
    times, lengths = index[:count], index[count:]
    total = start + sum(lengths)
    if total != size:
        raise WireError(
            WireReason.LENGTH_MISMATCH, f"{size} bytes; the lengths in the bundle add up to {total}"
        )
    _check_times(times)
    contents: list[bytes] = []
    for length in lengths:
        end = start + length
        contents.append(value[start:end])
        start = end
    return list(zip(times, contents, strict=True))


def entries_of(value: bytes, *, captured_at: int) -> list[Entry]:
    """Give what a raw record carries, plain or packed; one that can't be cut is one entry, whole.

    `captured_at` is the record's own time, which a plain record has for its datagram's. For every
    reader of the raw topic that needs the coordinates (partition, offset, entry) of each datagram
    and not the reason why a bundle is damaged.
    """
    if not is_bundle(value):
        return [Entry(captured_at, value)]
    try:
        return [Entry(*pair) for pair in cut(value)]
    except WireError:
        return [Entry(captured_at, value)]


@lru_cache(maxsize=256)
def _index_of(count: int) -> Struct:
    """Give the layout of the times and the lengths of this many entries; agents use few counts."""
    return Struct(f">{count}Q{count}I")


def _check_count(count: int) -> None:
    if not 1 <= count <= bounds.BUNDLE_ENTRIES:
        raise WireError(
            WireReason.BAD_COUNT, f"{count} entries; a bundle has 1 to {bounds.BUNDLE_ENTRIES}"
        )


def _check_size(size: int) -> None:
    if size > bounds.BUNDLE_BYTES:
        raise WireError(
            WireReason.OVER_BOUND, f"a bundle of {size} bytes; at most {bounds.BUNDLE_BYTES}"
        )


def _check_times(times: Sequence[int]) -> None:
    if max(times) > bounds.SENT_AT_LAST:
        raise WireError(
            WireReason.BAD_CAPTURED_AT,
            f"captured_at {max(times)} is not from 0 to {bounds.SENT_AT_LAST}",
        )
