"""What the operator may choose about publishing: the `[publish]` section."""

from dataclasses import dataclass, field
from enum import StrEnum

ONE_PER_RECORD = 0


class Compression(StrEnum):
    """How records are compressed on their way and in the topic."""

    LZ4 = "lz4"
    ZSTD = "zstd"


@dataclass(frozen=True, kw_only=True, slots=True)
class PublishSettings:
    """How an agent hands messages to Kafka: how many at once, how long they may wait for that."""

    pack_bytes: int = field(
        default=64 * 1024,
        metadata={
            "help": "How large a bundle of messages of one partition grows before it is sent: one "
            "Kafka record for many messages costs Kafka and the job less. 0 sends each message as "
            "a record of its own.",
            "unit": "bytes",
            "minimum": 0,
            "maximum": 900_000,
        },
    )
    linger_ms: int = field(
        default=5,
        metadata={
            "help": "How long a message may wait for others to be packed with.",
            "unit": "ms",
            "minimum": 0,
            "maximum": 1_000,
        },
    )
    compression: Compression = field(
        default=Compression.LZ4,
        metadata={"help": "lz4 costs the processor least; zstd makes records smaller."},
    )
    in_flight_kilobytes: int = field(
        default=16_384,
        metadata={
            "help": "Most that waits for Kafka's answer in memory; the rest waits in the spool.",
            "unit": "kB",
            "minimum": 1_024,
            "maximum": 1_048_576,
        },
    )
