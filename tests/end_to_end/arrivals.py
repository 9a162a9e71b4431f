"""What a reader of the ordered topic may see while the job is killed, and what it may not.

The promise: in a partition the ordinals are 1, 2, 3 ... and each record's bytes are for ever; after
a crash records may come again, but from the batch that was being written and from none before it.
The counters topic says where batches ended: its `delivered` is the last ordinal of each.
"""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Sequence
from typing import NamedTuple


class Arrival(NamedTuple):
    """One record as a reader met it."""

    ordinal: int
    digest: bytes


class Seen(NamedTuple):
    """What a reader saw in all; only the first two may be other than 0."""

    records: int = 0
    repeats: int = 0
    furthest_back: int = 0
    """records between a repeat and the greatest ordinal before it, at most"""
    changed: int = 0
    """repeats with other bytes than the first time"""
    skipped: int = 0
    """records that came before one with a smaller, new ordinal, or never"""
    too_far_back: int = 0
    """repeats from before the batch of the greatest ordinal"""

    @property
    def is_kept(self) -> bool:
        """Was the promise kept?"""
        return not (self.changed or self.skipped or self.too_far_back)

    def __or__(self, other: Seen) -> Seen:
        """Give both together, as two partitions."""
        added = Seen(*(mine + its for mine, its in zip(self, other, strict=True)))
        return added._replace(furthest_back=max(self.furthest_back, other.furthest_back))


def judge(arrivals: Iterable[Arrival], *, batch_ends: Sequence[int]) -> Seen:
    """Judge one partition; `batch_ends` are the last ordinals of its batches, in any order."""
    ends = sorted({0, *batch_ends})
    first: dict[int, bytes] = {}
    greatest = records = repeats = furthest_back = changed = skipped = too_far_back = 0
    for ordinal, digest in arrivals:
        records += 1
        if ordinal > greatest:
            skipped += ordinal - greatest - 1
            greatest = ordinal
            first[ordinal] = digest
            continue
        repeats += 1
        furthest_back = max(furthest_back, greatest - ordinal + 1)
        changed += first.get(ordinal, digest) != digest
        batch_begins_after = ends[bisect_left(ends, greatest) - 1]
        too_far_back += ordinal <= batch_begins_after
    return Seen(records, repeats, furthest_back, changed, skipped, too_far_back)
