"""What the operator may choose about the spool: the `[spool]` section.

Each field says what it trades; docs/edge/spool.md says what the choices promise together.
"""

from dataclasses import dataclass, field
from enum import StrEnum


class WhenFull(StrEnum):
    """What happens to a message for which the spool has no room."""

    BLOCK = "block"
    DROP_OLDEST = "drop-oldest"


@dataclass(frozen=True, kw_only=True, slots=True)
class SpoolSettings:
    """Where an agent keeps what Kafka has not acknowledged, and what that promises."""

    directory: str = field(
        default=".precede/spool",
        metadata={
            "help": "Folder of this machine for what Kafka has not acknowledged; one agent each.",
        },
    )
    maximum_bytes: int = field(
        default=1024 * 1024 * 1024,
        metadata={
            "help": "How large the spool may grow: how long Kafka may be away. A message takes its "
            "own length, its group's and 32 bytes.",
            "unit": "bytes",
            "minimum": 64 * 1024 * 1024,
            "maximum": 2**50,
        },
    )
    when_full: WhenFull = field(
        default=WhenFull.BLOCK,
        metadata={
            "help": "block: the capture stands still and the kernel counts what it drops. "
            "drop-oldest: the oldest messages make room, and a notice of the gap is published.",
        },
    )
    sync_every_ms: int = field(
        default=50,
        metadata={
            "help": "What a power cut may cost: the messages of so many milliseconds. 0 is always: "
            "nothing is published before the disk has it, and each message waits for the disk.",
            "unit": "ms",
            "minimum": 0,
            "maximum": 60_000,
        },
    )

    @property
    def segment_bytes(self) -> int:
        """How large one file grows: the step in which room is made."""
        return min(16 * 1024 * 1024, self.maximum_bytes // 16)
