"""The job's state at one instant, as its health answers and metrics see it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ingest.telemetry.exposition import Distribution
from sinks.records import Counters

SILENT_AFTER_SECONDS = 120.0
"""A main loop that has not come round for so long hangs. It comes several times a second, but waits
while the tables are made at a first start."""

STUCK_AFTER_SECONDS = 60.0
"""How long records may wait without any progress before the job is called not ready."""


class QueryVitals(NamedTuple):
    """What is known of one query."""

    is_active: bool = False
    batch: int = -1
    """the number of its last batch; -1 if there was none"""
    progress_before_seconds: float = 0.0
    """how long ago it last got on"""
    rows: int = 0
    """records of its last batch"""
    phases: Mapping[str, float] = {}
    """seconds of its last batch by what it did"""
    state_memory_bytes: int = 0
    """what the state store says that it takes in memory"""


class JobVitals(NamedTuple):
    """What is measured of a job."""

    now: int
    """microseconds since the epoch"""
    looked_before_seconds: float
    is_ready: bool
    """whether the ordering query has been through its first trigger"""
    queries: Mapping[str, QueryVitals]
    counters: Mapping[int, Counters]
    """the last word on each raw partition"""
    lag: Mapping[int, int]
    """records of each raw partition that were not ordered yet"""
    latency: Mapping[str, Distribution]
    """by discipline"""
    ticks: int

    @property
    def is_live(self) -> bool:
        """Is there anything but a restart that could help? No, if the main loop hangs."""
        return self.looked_before_seconds < SILENT_AFTER_SECONDS

    def reasons_not_ready(self) -> list[str]:
        """Why what comes in does not go out at the moment; empty if it does."""
        reasons = []
        if not self.is_live:
            reasons.append(
                f"the main loop has not come round for {self.looked_before_seconds:.0f} s"
            )
        if not self.is_ready:
            reasons.append("the job is starting")
        for name, query in self.queries.items():
            if not query.is_active:
                reasons.append(f"the {name} query does not run")
        waiting = sum(self.lag.values())
        maybe_ordering = self.queries.get("ordering")
        if waiting and maybe_ordering is not None:
            silent = maybe_ordering.progress_before_seconds
            if silent > STUCK_AFTER_SECONDS:
                reasons.append(f"{waiting} records wait, and none was ordered for {silent:.0f} s")
        return reasons
