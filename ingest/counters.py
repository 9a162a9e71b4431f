"""What became of everything that reached an agent, at one instant.

    received == withheld + passed_over + oversized + what was put into the spool
    recovered + put into the spool == published + waiting + dropped + missing + unpublishable

Both hold exactly when the agent has ended, and nearly at every other instant. Printed at the end,
shown on the status line, and the source of the metrics.
"""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentCounters:
    """Counts since the agent started, but for those that say otherwise."""

    received: int
    """Datagrams that the kernel handed over."""
    published: int
    """Messages that Kafka has acknowledged."""
    waiting: int
    """Messages that are in the spool now."""
    recovered: int
    """Messages of an earlier run that were in the spool at the start."""
    dropped: int
    """Messages given up because the spool was full."""
    missing: int
    """Messages that damage of the spool's files has taken."""
    unpublishable: int
    """Messages that are too long for Kafka."""
    malformed: dict[str, int]
    refused: dict[str, int]
    repeats: int
    withheld: int
    """Malformed and refused datagrams of which not even a sample was published."""
    passed_over: int
    """Envelopes that members sent each other to synchronise: nothing to order."""
    oversized: int
    left_out: dict[str, int]
    """Records of a capture file that gave no datagram, by reason."""
    kernel_drops: int
    """Datagrams that the kernel had no room for."""
    blocked: int
    """How often a capture had to wait for room in the spool."""
    receive_buffer_asked_bytes: int
    receive_buffer_got_bytes: int

    def as_fields(self) -> dict[str, Any]:
        """Give the counters as plain values, for JSON."""
        return {name: getattr(self, name) for name in self.__slots__}
