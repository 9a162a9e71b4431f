"""The agent's state at one instant, as its health checks and metrics see it."""

from typing import Final, NamedTuple

from ingest.counters import AgentCounters

SILENT_AFTER_S: Final = 10.0
"""An agent whose main loop has not come round for so long hangs; it does several times a second."""


class Vitals(NamedTuple):
    """What is measured of an agent."""

    counters: AgentCounters
    looked_before_s: float
    """How long ago the main loop last came round."""
    groups: int
    is_kafka_away: bool
    has_kafka_answered: bool
    kafka_reason: str
    """Why Kafka is away, if it is."""
    kafka_sessions: int
    kafka_records: int
    spool_bytes: int
    spool_maximum_bytes: int
    spool_pending_bytes: int
    spool_damaged_bytes: int
    spool_durable: int
    spool_cursor: int
    spool_syncs: int
    spool_disk_failures: int
    maybe_disk_trouble: str | None
    is_spool_full: bool

    @property
    def is_live(self) -> bool:
        """Is there anything but a restart that could help? No, if the main loop hangs."""
        return self.looked_before_s < SILENT_AFTER_S

    def reasons_not_ready(self) -> list[str]:
        """Why what comes in does not go out at the moment; empty if it does."""
        reasons = []
        if not self.is_live:
            reasons.append(f"the main loop has not come round for {self.looked_before_s:.0f} s")
        if self.is_kafka_away:
            reasons.append(f"Kafka is away: {self.kafka_reason}")
        elif not self.has_kafka_answered:
            reasons.append("Kafka has not answered yet")
        if self.maybe_disk_trouble is not None:
            reasons.append(f"the disk does not take the spool: {self.maybe_disk_trouble}")
        if self.is_spool_full:
            reasons.append("the spool is full and the capture stands still")
        return reasons
