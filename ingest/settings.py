"""What the operator may choose about an edge agent: the `[agent]` section.

Filled by the command line, read by the agent when it starts. Each field says what it trades. Field
metadata is plain data, so that this room needs nothing of the command line.
"""

from dataclasses import dataclass, field

from ingest.telemetry.journal import LogFormat
from ingest.wire.addresses import FORM, Subscription, parse_subscription
from ingest.wire.multicast import LOOPBACK_INTERFACE

DEFAULT_GROUP_ADDRESS = "239.255.80.1:5080"
"""Of the range that routers keep inside a site."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSettings:
    """One edge agent: what it listens to, how much it keeps, how long it waits for Kafka."""

    groups: tuple[str, ...] = field(
        default=(DEFAULT_GROUP_ADDRESS,),
        metadata={
            "help": "Multicast groups to capture: each an address with its port, IPv6 in brackets; "
            "before it a sender and an @ to hear only that one, after it a % and an interface of "
            "its own.",
            "form": FORM,
        },
    )
    name: str = field(
        default="",
        metadata={
            "help": "Who this agent is, in notices of gaps; else the machine's name.",
            "pattern": r"[\w.-]{0,100}",
            "form": "letters, digits, dots and hyphens",
        },
    )
    interface: str = field(
        default=LOOPBACK_INTERFACE,
        metadata={
            "help": "Name or address of the network interface on which the groups are joined.",
            "pattern": r"[\w.:@-]{1,45}",
            "form": "a name or an address of an interface, such as eth0 or 127.0.0.1",
        },
    )
    receive_buffer_bytes: int = field(
        default=32 * 1024 * 1024,
        metadata={
            "help": "Kernel buffer asked for each address: more survives longer pauses of the "
            "agent. The kernel gives at most its net.core.rmem_max, unless the agent has "
            "CAP_NET_ADMIN.",
            "unit": "bytes",
            "minimum": 4_096,
            "maximum": 1024 * 1024 * 1024,
        },
    )
    quarantined_per_s: int = field(
        default=100,
        metadata={
            "help": "Datagrams per address that are malformed or refused and still published, so "
            "that they can be looked at in quarantine; the rest is only counted.",
            "unit": "1/s",
            "minimum": 1,
            "maximum": 100_000,
        },
    )
    sender_messages_per_s: int = field(
        default=0,
        metadata={
            "help": "Valid messages that one sender may send; more are refused. A sender is a "
            "member in a protected group, else an address. 0: no limit, as only you know what "
            "honest senders send.",
            "unit": "1/s",
            "minimum": 0,
            "maximum": 10_000_000,
        },
    )
    broker_away_after_ms: int = field(
        default=15_000,
        metadata={
            "help": "How long Kafka may be silent before it counts as away. An agent that has "
            "never reached its topic ends then; any other goes on and fills the spool.",
            "unit": "ms",
            "minimum": 1_000,
            "maximum": 3_600_000,
        },
    )
    drain_within_ms: int = field(
        default=10_000,
        metadata={
            "help": "How long the agent takes at its end to hand Kafka what it still has; the "
            "rest stays in the spool.",
            "unit": "ms",
            "minimum": 100,
            "maximum": 600_000,
        },
    )

    log_format: LogFormat = field(
        default=LogFormat.AUTO,
        metadata={
            "help": "How the agent writes its log on standard error. auto: text for a terminal, "
            "one JSON object on each line for everything else.",
        },
    )

    status_address: str = field(
        default="127.0.0.1:9480",
        metadata={
            "help": "Where /livez, /readyz and /metrics answer; off: nowhere. They tell numbers to "
            "anybody who can reach the address, so it is this machine's own by default.",
            "pattern": r"off|[^\s:]+:\d{1,5}|\[[0-9a-fA-F:.]+\]:\d{1,5}",
            "form": "off or host:port, such as 127.0.0.1:9480",
        },
    )

    def __post_init__(self) -> None:
        """Refuse an agent that would hear nothing, or the same thing twice."""
        if not self.groups:
            raise ValueError(f"groups is empty; name at least one, such as {DEFAULT_GROUP_ADDRESS}")
        if len(set(self.subscriptions())) != len(self.groups):
            raise ValueError("groups names the same twice; every message would be captured twice")

    def subscriptions(self) -> tuple[Subscription, ...]:
        """The groups, taken apart; MulticastError for one that is none."""
        return tuple(parse_subscription(text) for text in self.groups)
