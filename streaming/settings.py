"""What the operator may choose about the job: the `[job]` section.

Filled by the command line, read by the job when it starts; nothing of it changes while the job
runs. Each field says what it trades. Field metadata is plain data, as in `sinks.settings`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum

from ordering.policy import GiveUp


class LogLevel(StrEnum):
    """How much Spark says in its log."""

    ERROR = "error"
    WARN = "warn"
    INFO = "info"
    DEBUG = "debug"


@dataclass(frozen=True, kw_only=True, slots=True)
class JobSettings:
    """One ordering job: where it keeps things, how much it takes at once, how it orders."""

    checkpoint_directory: str = field(
        default=".precede/checkpoint",
        metadata={
            "help": "Folder or URI of the progress and state of one job, for ever.",
        },
    )
    tables_directory: str = field(
        default=".precede/tables",
        metadata={"help": "Folder or URI under which the Delta tables live."},
    )
    scratch_directory: str = field(
        default=".precede/spark",
        metadata={
            "help": "Folder of this machine for Spark's temporary files and its log; may be lost.",
        },
    )
    spark_master: str = field(
        default="local[2]",
        metadata={
            "help": "Where Spark runs: local[N] is N cores of this machine; or name a cluster.",
            "pattern": r"local|local\[(\d+|\*)(,\d+)?\]|(spark|k8s|mesos)://\S+|yarn",
            "form": "local[N], spark://host:port, k8s://address or yarn",
        },
    )
    tasks: int = field(
        default=2,
        metadata={
            "help": "Tasks that order in parallel; fixed at the first start.",
            "minimum": 1,
            "maximum": 1_024,
        },
    )
    max_offsets_per_trigger: int = field(
        default=200_000,
        metadata={
            "help": "Most records in one batch: more catches up faster, fewer needs less memory.",
            "minimum": 1,
            "maximum": 100_000_000,
        },
    )
    trigger_interval_ms: int = field(
        default=200,
        metadata={
            "help": "Time from the start of one batch to the next; 0 starts the next at once.",
            "unit": "ms",
            "minimum": 0,
            "maximum": 3_600_000,
        },
    )
    give_up: GiveUp = field(
        default=GiveUp.HOLD,
        metadata={
            "help": "What becomes of a message whose parent never comes: hold it for ever, release "
            "it marked as such, or quarantine it with its descendants.",
        },
    )
    give_up_after_ms: int = field(
        default=60_000,
        metadata={
            "help": "How long a message is held before give_up applies, by the time of its "
            "group's own records; has no effect with hold.",
            "unit": "ms",
            "minimum": 1,
            "maximum": 2_592_000_000,
        },
    )
    log_level: LogLevel = field(
        default=LogLevel.WARN, metadata={"help": "How much Spark says in its log."}
    )
