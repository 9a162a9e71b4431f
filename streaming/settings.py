"""What the operator may choose about the job: the `[job]` section.

Filled by the command line, read by the job when it starts; nothing of it changes while the job
runs. Each field says what it trades. Field metadata is plain data, as in `sinks.settings`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import StrEnum
from pathlib import Path

from ingest.telemetry.journal import LogFormat
from ordering.policy import GiveUp, GroupPolicy
from ordering_udfs.group_policies import RULE_FORM, RULE_PATTERN, parse_policy, parse_rule
from sinks.cloud_events import OrderedFormat
from sinks.upkeep import LEAST_VACUUM_HOURS, RETENTION_FORM, RETENTION_PATTERN, parse_retention

MEMORY_PATTERN = r"[1-9]\d{0,6}[mg]"
MEMORY_FORM = "a size such as 512m or 2g"


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
    driver_memory: str | None = field(
        default="2g",
        metadata={
            "help": "Heap of the driver, which is the whole job on local[N]. Where spark-submit "
            "starts the job, tell it instead.",
            "pattern": MEMORY_PATTERN,
            "form": MEMORY_FORM,
        },
    )
    executor_memory: str | None = field(
        default=None,
        metadata={
            "help": "Heap of each executor on a cluster; without it Spark's own, 1g. The Python "
            "workers, which hold the groups, take theirs beside it.",
            "pattern": MEMORY_PATTERN,
            "form": MEMORY_FORM,
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
    max_messages_per_batch: int = field(
        default=1_000_000,
        metadata={
            "help": "Most messages in one batch: more catches up faster, fewer takes less memory. "
            "How many a bundle has is seen from the raw records that come next.",
            "minimum": 1,
            "maximum": 100_000_000,
        },
    )
    max_batch_ms: int = field(
        default=3_000,
        metadata={
            "help": "About the longest that a batch shall last; after one that lasts longer the "
            "next has fewer messages. Less lets those beside a flood wait less, and takes longer "
            "for the flood.",
            "unit": "ms",
            "minimum": 100,
            "maximum": 3_600_000,
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
    tick_interval_ms: int = field(
        default=1_000,
        metadata={
            "help": "Pace at which the log's time moves while the job keeps up: what is held is "
            "told, and given up, at a tick.",
            "unit": "ms",
            "minimum": 100,
            "maximum": 2_000,
        },
    )
    ordered_format: OrderedFormat = field(
        default=OrderedFormat.ENVELOPE,
        metadata={
            "help": "How the ordered topic is written: envelope is fastest; cloudevents has the "
            "payload as value and the rest in headers, for any consumer. Our readers read both.",
        },
    )
    discipline: str = field(
        default="semantic",
        metadata={
            "help": "Which messages must come before which, in groups that no rule of job.groups "
            "fits; causal takes an acceptance level, as in causal:full.",
            "pattern": r"[a-z+]+(:[a-z_]+)?",
            "form": "a discipline, such as semantic, fifo or causal:full",
        },
    )
    groups: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Rules for groups; the first whose pattern fits counts. Fixed at the first "
            "start, like all that decides an order; a control record changes one group later.",
            "pattern": RULE_PATTERN,
            "form": RULE_FORM,
        },
    )
    conflicts: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "Pairs of operations whose order changes an object, for the disciplines "
            "significant and objects.",
            "pattern": r"[^/]{1,255}/[^/]{1,255}",
            "form": "OPERATION/OPERATION, such as read/write",
        },
    )
    delta_ms: int = field(
        default=5_000,
        metadata={
            "help": "Longest delay of the network, for the discipline significant.",
            "unit": "ms",
            "minimum": 1,
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
            "help": "How long a message is held at least before give_up applies, by the time of "
            "the ticks; has no effect with hold.",
            "unit": "ms",
            "minimum": 1,
            "maximum": 2_592_000_000,
        },
    )
    retention: tuple[str, ...] = field(
        default=(),
        metadata={
            "help": "How many days `precede upkeep` leaves rows in a table; a table that is not "
            "named keeps all. What is still held stays however old it is.",
            "pattern": RETENTION_PATTERN,
            "form": RETENTION_FORM,
        },
    )
    vacuum_hours: int = field(
        default=LEAST_VACUUM_HOURS,
        metadata={
            "help": "How long `precede upkeep` leaves files that the tables no longer need: for "
            "readers at work, and to look at earlier versions.",
            "unit": "hours",
            "minimum": LEAST_VACUUM_HOURS,
            "maximum": 87_600,
        },
    )
    status_address: str = field(
        default="127.0.0.1:9481",
        metadata={
            "help": "Where /livez, /readyz and /metrics answer; off: nowhere. They tell numbers to "
            "anybody who can reach the address, so it is this machine's own by default.",
            "pattern": r"off|[^\s:]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}",
            "form": "off or host:port, such as 127.0.0.1:9481",
        },
    )
    openlineage_url: str | None = field(
        default=None,
        metadata={
            "help": "Where OpenLineage events of the job's runs are posted, such as "
            "http://catalogue:5000/api/v1/lineage; without it none are made.",
            "pattern": r"https?://\S+",
            "form": "http://... or https://...",
        },
    )
    openlineage_namespace: str = field(
        default="precede",
        metadata={
            "help": "Namespace of the job in those events; its name is kafka.topic_prefix.",
            "pattern": r"\S{1,200}",
            "form": "a word",
        },
    )
    openlineage_token_file: Path | None = field(
        default=None,
        metadata={
            "help": "File that holds the catalogue's bearer token and nothing else, closed to "
            "others (chmod 600).",
            "readable_file": True,
            "secret_file": "token",
        },
    )
    log_format: LogFormat = field(
        default=LogFormat.AUTO,
        metadata={
            "help": "How the job writes its own log on standard error. auto: text for a terminal, "
            "one JSON object on each line for everything else.",
        },
    )
    log_level: LogLevel = field(
        default=LogLevel.WARN, metadata={"help": "How much Spark says in its log."}
    )

    def __post_init__(self) -> None:
        """Refuse a discipline or a rule that cannot be read; the error says what to write."""
        default = parse_policy(self.discipline, default=GroupPolicy(after_us=1))
        for rule in self.groups:
            parse_rule(rule, default=default)
        parse_retention(self.retention)
