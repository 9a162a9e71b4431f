"""A captured datagram: the one value that every source of datagrams gives to the agent.

    take([Datagram(b"PRCD...", 1_760_000_000_000_000, "10.0.0.7:40001", group)])

A source (a multicast socket, a capture file) is a thread that calls `take` with one datagram or
many, in the order in which they reached the machine, and with each of them once. `take` may block:
whatever then arrives waits in the kernel's buffer.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeAlias

from ingest.wire.multicast import GroupAddress


class Datagram(NamedTuple):
    """One datagram, as it came, and what is known about its arrival."""

    data: bytes
    captured_at: int
    """When the kernel got it (or the capture file says so): microseconds since the epoch."""
    source: str
    """Who sent it, as `address:port`; nobody has proved it."""
    group_address: GroupAddress
    """Where it was sent to."""


Take: TypeAlias = Callable[[Sequence[Datagram]], None]
"""What a source calls with the datagrams that have come."""
