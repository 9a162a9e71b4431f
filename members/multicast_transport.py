"""Members' datagrams over IP multicast.

    MulticastTransport(parse_group_address("239.255.80.1:5080"), interface="127.0.0.1")

Everybody sends to and listens on the same address. `listens_to` may name another one: that of a
relay between the members (`precede relay`), which is how a bad network is tried out.
"""

import asyncio
import socket
from typing import Final

from ingest.wire.multicast import (
    DATAGRAM_BYTES,
    LOOPBACK_INTERFACE,
    GroupAddress,
    Receiver,
    dropped_by_kernel,
    open_receiver,
    open_sender,
    send,
)
from members.transport import OnDatagram

BUFFER_BYTES: Final = 4 * 1024 * 1024
"""What arrives while the program is busy waits there: at 200 bytes each, some ten thousand."""

READS_AT_ONCE: Final = 64
"""Datagrams that are read before timers get their turn, so that a flood does not stop them."""

_WAIT_AT_MOST_S: Final = 1.0


class MulticastTransport:
    """One socket to send and one to listen."""

    def __init__(
        self,
        group: GroupAddress,
        *,
        interface: str = LOOPBACK_INTERFACE,
        hops: int = 1,
        listens_to: GroupAddress | None = None,
    ) -> None:
        self._group = group
        self._listens_to = listens_to or group
        self._interface = interface
        self._hops = hops
        self._maybe_sender: socket.socket | None = None
        self._maybe_receiver: Receiver | None = None
        self._maybe_loop: asyncio.AbstractEventLoop | None = None

    def open(self, on_datagram: OnDatagram) -> None:
        """Join the multicast group. Raises MulticastError if that can't be done."""
        self._maybe_receiver = open_receiver(
            self._listens_to,
            interface=self._interface,
            buffer_bytes=BUFFER_BYTES,
            wait_at_most_s=_WAIT_AT_MOST_S,
        )
        try:
            self._maybe_sender = open_sender(
                interface=self._interface, hops=self._hops, is_ipv6=":" in self._group.address
            )
        except BaseException:
            self._maybe_receiver.socket.close()
            raise
        receiver = self._maybe_receiver.socket
        receiver.setblocking(False)
        self._maybe_sender.setblocking(False)
        self._maybe_loop = asyncio.get_running_loop()
        self._maybe_loop.add_reader(receiver.fileno(), self._read, receiver, on_datagram)

    def _read(self, receiver: socket.socket, on_datagram: OnDatagram) -> None:
        for _ in range(READS_AT_ONCE):
            try:
                datagram = receiver.recv(DATAGRAM_BYTES)
            except BlockingIOError:
                return
            on_datagram(datagram)
            if self._maybe_receiver is None:
                return  # closed by what the datagram led to

    def send(self, datagram: bytes) -> None:
        """Multicast one datagram."""
        if self._maybe_sender is not None:
            send(self._maybe_sender, datagram, to=self._group)

    def dropped(self) -> int:
        """Give how many datagrams the kernel dropped because the program was too slow."""
        if self._maybe_receiver is None:
            return 0
        return dropped_by_kernel(self._maybe_receiver.socket) or 0

    def close(self) -> None:
        """Leave the multicast group and close both sockets."""
        if self._maybe_receiver is not None and self._maybe_loop is not None:
            self._maybe_loop.remove_reader(self._maybe_receiver.socket.fileno())
            self._maybe_receiver.socket.close()
            self._maybe_receiver = None
        if self._maybe_sender is not None:
            self._maybe_sender.close()
            self._maybe_sender = None
