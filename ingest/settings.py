"""What the operator may choose about an edge agent: the `[agent]` section.

Filled by the command line, read by the agent when it starts. Each field says what it trades. Field
metadata is plain data, so that this room needs nothing of the command line.
"""

from dataclasses import dataclass, field

from ingest.wire.multicast import LOOPBACK_INTERFACE, GroupAddress, parse_group_address

DEFAULT_GROUP_ADDRESS = "239.255.80.1:5080"
"""Of the range that routers keep inside a site."""


@dataclass(frozen=True, kw_only=True, slots=True)
class AgentSettings:
    """One edge agent: what it listens to, how much it keeps, how long it waits for Kafka."""

    groups: tuple[str, ...] = field(
        default=(DEFAULT_GROUP_ADDRESS,),
        metadata={
            "help": "Multicast addresses to capture, each with its port.",
            "pattern": r"2(2[4-9]|3\d)(\.\d{1,3}){3}:\d{1,5}",
            "form": "239.255.80.1:5080",
        },
    )
    interface: str = field(
        default=LOOPBACK_INTERFACE,
        metadata={
            "help": "Address of the network interface on which the groups are joined.",
            "pattern": r"\d{1,3}(\.\d{1,3}){3}",
            "form": "an IPv4 address, such as 127.0.0.1",
        },
    )
    receive_buffer_bytes: int = field(
        default=4 * 1024 * 1024,
        metadata={
            "help": "Kernel buffer asked for each address: more survives longer pauses of the "
            "agent. The kernel gives at most its net.core.rmem_max.",
            "unit": "bytes",
            "minimum": 4_096,
            "maximum": 1024 * 1024 * 1024,
        },
    )
    queue_messages: int = field(
        default=100_000,
        metadata={
            "help": "Most messages that wait for Kafka in memory. When it is full the capture "
            "stands still, and what the kernel then drops is counted.",
            "minimum": 1_000,
            "maximum": 10_000_000,
        },
    )
    queue_kilobytes: int = field(
        default=65_536,
        metadata={
            "help": "The same bound in memory, whichever is reached first.",
            "unit": "kB",
            "minimum": 1_024,
            "maximum": 2_097_151,
        },
    )
    quarantined_per_s: int = field(
        default=100,
        metadata={
            "help": "Datagrams per address that can't be decoded and are still published, so that "
            "they can be looked at in quarantine; the rest is only counted.",
            "unit": "1/s",
            "minimum": 1,
            "maximum": 100_000,
        },
    )
    broker_away_after_ms: int = field(
        default=15_000,
        metadata={
            "help": "How long Kafka may be silent, at the start and later, before the agent ends.",
            "unit": "ms",
            "minimum": 1_000,
            "maximum": 3_600_000,
        },
    )
    drain_within_ms: int = field(
        default=10_000,
        metadata={
            "help": "How long the agent takes at its end to hand Kafka what it still has.",
            "unit": "ms",
            "minimum": 100,
            "maximum": 600_000,
        },
    )

    def __post_init__(self) -> None:
        """Refuse an agent that would hear nothing, or the same thing twice."""
        if not self.groups:
            raise ValueError(f"groups is empty; name at least one, such as {DEFAULT_GROUP_ADDRESS}")
        if len(set(self.group_addresses())) != len(self.groups):
            raise ValueError("groups names an address twice; every message would be captured twice")

    def group_addresses(self) -> tuple[GroupAddress, ...]:
        """The addresses, taken apart; MulticastError for one that is none."""
        return tuple(parse_group_address(text) for text in self.groups)
