"""The transport seam: how a host's datagrams reach the others, and theirs reach it.

`MulticastTransport` (multicast_transport.py) is the real one. `SimulatedTransport`
(simulated_transport.py) is a network in one process, for programs' own tests.
"""

from collections.abc import Callable
from typing import Protocol, TypeAlias

OnDatagram: TypeAlias = Callable[[bytes], None]


class Transport(Protocol):
    """Carries datagrams to everybody in reach: unreliable, unordered, perhaps twice."""

    def open(self, on_datagram: OnDatagram) -> None:
        """Begin to listen, inside a running event loop; called once, by the host."""
        ...

    def send(self, datagram: bytes) -> None:
        """Send to everybody, without waiting. Raises MulticastError when the machine can't."""
        ...

    def close(self) -> None:
        """Stop listening and sending. May be called again."""
        ...
