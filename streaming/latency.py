"""How long messages take from their capture to the ordered topic, measured beside the job.

What the job writes is a function of the log, so no clock may stand in it. The time of the write
stands on the record itself (the producer's), the time of the capture in its head; a look at the
newest records of the topic gives both. Only a sample is looked at: reading everything would cost
the driver as much as a second job.

A repeat after a crash is old and says nothing; an ordinal that was seen before is left out. A clock
of an agent that goes ahead of the driver's counts as no time at all.
"""

from __future__ import annotations

from functools import lru_cache

from ingest.telemetry.exposition import Distribution
from ordering_udfs.group_policies import GroupPolicies
from sinks.errors import RecordError
from sinks.records import decode_ordered

BOUNDS_SECONDS = (
    0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 0.75, 1.0, 1.5, 2.0, 3.0, 5.0, 10.0, 30.0, 60.0, 300.0,
    3_600.0,
)  # fmt: skip
MOST_GROUPS = 10_000
"""Groups whose discipline is remembered; looking it up again costs a few patterns."""


class Latency:
    """Distributions by discipline, fed with records of the ordered topic."""

    def __init__(self, policies: GroupPolicies) -> None:
        self.by_discipline: dict[str, Distribution] = {}
        self._last: dict[int, int] = {}
        self._discipline = lru_cache(maxsize=MOST_GROUPS)(
            lambda group: policies.of(group).discipline
        )

    def take(self, key: bytes, value: bytes, *, written_at: int) -> None:
        """Take one record, with the time in microseconds that stands on it."""
        try:
            record = decode_ordered(value)
        except RecordError:
            return  # the history query says so in its log
        if record.ordinal <= self._last.get(record.partition, 0):
            return
        self._last[record.partition] = record.ordinal
        discipline = self._discipline(key.decode(errors="replace"))
        seconds = max(0, written_at - record.origin.captured_at) / 1_000_000
        self.by_discipline.setdefault(discipline, Distribution(BOUNDS_SECONDS)).add(seconds)
