"""A network in one process, for programs' own tests: members hear each other without a socket.

    network = SimulatedNetwork(seed=1, loss=0.1)
    alice = MemberHost(GroupManager("alice", ...), network.transport())
    bob = MemberHost(GroupManager("bob", ...), network.transport())

It loses by a seed and delivers within the running event loop. Whole populations with partitions and
crashes are simulated elsewhere, without any loop (`simulation.populations`).
"""

import asyncio
from random import Random

from members.transport import OnDatagram


class SimulatedNetwork:
    """Everybody who is connected hears everybody else, but for what is lost."""

    def __init__(self, *, seed: int, loss: float = 0.0, delay_s: float = 0.0) -> None:
        self._rng = Random(seed)
        self.loss = loss
        self._delay_s = delay_s
        self._open: list[SimulatedTransport] = []

    def transport(self) -> "SimulatedTransport":
        """Give a member its way into the network."""
        return SimulatedTransport(self)

    def connect(self, transport: "SimulatedTransport") -> None:
        """Let a transport hear from now on. Called by the transport."""
        self._open.append(transport)

    def disconnect(self, transport: "SimulatedTransport") -> None:
        """Let a transport hear no more. Called by the transport."""
        if transport in self._open:
            self._open.remove(transport)

    def carry(self, datagram: bytes, *, source: "SimulatedTransport") -> None:
        """Bring a datagram to all others, or lose it on the way to some."""
        loop = asyncio.get_running_loop()
        for transport in self._open:
            if transport is not source and self._rng.random() >= self.loss:
                loop.call_later(self._delay_s, transport.hear, datagram)


class SimulatedTransport:
    """One member's way into a simulated network."""

    def __init__(self, network: SimulatedNetwork) -> None:
        self._network = network
        self._maybe_on_datagram: OnDatagram | None = None

    def open(self, on_datagram: OnDatagram) -> None:
        """Begin to listen."""
        self._maybe_on_datagram = on_datagram
        self._network.connect(self)

    def hear(self, datagram: bytes) -> None:
        """Take a datagram that arrives. Called by the network."""
        if self._maybe_on_datagram is not None:
            self._maybe_on_datagram(datagram)

    def send(self, datagram: bytes) -> None:
        """Send to everybody else."""
        if self._maybe_on_datagram is not None:
            self._network.carry(datagram, source=self)

    def close(self) -> None:
        """Stop listening and sending."""
        self._maybe_on_datagram = None
        self._network.disconnect(self)
