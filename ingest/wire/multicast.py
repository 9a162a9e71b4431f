"""Multicast sockets, both directions: the only place that names their options.

Members and the relay send through `open_sender`; the agent and the relay listen through
`open_receiver`. A receiver

- binds to the group's own address, so that unicast datagrams to the same port are none of its
  business;
- turns IP_MULTICAST_ALL off, else Linux hands it the groups that *other* sockets of the machine
  have joined;
- asks for a large buffer, because what arrives while Python is busy waits there or is lost;
- has the kernel count what it drops (SO_RXQ_OVFL), because a loss that nobody counts is a lie.
"""

import ipaddress
import socket
import struct
from typing import Final, NamedTuple

from ingest.wire.errors import MulticastError

DATAGRAM_BYTES: Final = 65_507
"""The longest payload of UDP over IPv4."""

LOOPBACK_INTERFACE: Final = "127.0.0.1"

# Numbers of Linux that Python 3.11 has no names for.
_IP_MULTICAST_ALL: Final = 49
SO_RXQ_OVFL: Final = 40
_SO_MEMINFO: Final = 55
_MEMINFO: Final = struct.Struct("9I")
_MEMINFO_DROPS: Final = 8


class GroupAddress(NamedTuple):
    """Where a group's datagrams go: an IPv4 multicast address and a port."""

    address: str
    port: int

    def __str__(self) -> str:
        return f"{self.address}:{self.port}"


class Receiver(NamedTuple):
    """A socket that has joined its group, and the buffer that the kernel gave it."""

    socket: socket.socket
    buffer_asked_bytes: int
    buffer_got_bytes: int


def parse_group_address(text: str) -> GroupAddress:
    """Read `239.255.80.1:5080`. Raises MulticastError, which says what to write instead."""
    address, _, port = text.rpartition(":")
    try:
        is_multicast = ipaddress.IPv4Address(address).is_multicast
    except ValueError:
        is_multicast = False
    if not is_multicast:
        raise MulticastError(
            f"{text!r} has no IPv4 multicast address; write one from 224.0.0.0 to 239.255.255.255"
            " and a port, such as 239.255.80.1:5080"
        )
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= 65_535):
        raise MulticastError(f"the port of {text!r} is not a number from 1 to 65535")
    return GroupAddress(address, int(port))


def open_receiver(
    group: GroupAddress, *, interface: str, buffer_bytes: int, wait_at_most_s: float
) -> Receiver:
    """Join a group on the interface that has this address; a read waits `wait_at_most_s`.

    Raises MulticastError if the interface does not exist or the kernel refuses.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_UDP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)
        opened.setsockopt(socket.SOL_SOCKET, SO_RXQ_OVFL, 1)
        # A time-out of the kernel's own costs nothing; Python's would poll before each datagram.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(wait_at_most_s))
        opened.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
        opened.bind(group)
        opened.setsockopt(
            socket.IPPROTO_IP, socket.IP_ADD_MEMBERSHIP, _membership(group, interface)
        )
    except OSError as error:
        opened.close()
        raise MulticastError(
            f"can't join {group} on the interface {interface}: {error.strerror or error};"
            " give the address of an interface of this machine that carries multicast"
        ) from None
    # The kernel gives twice what it grants, the other half being for its own book-keeping.
    got = opened.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2
    return Receiver(opened, buffer_bytes, got)


def leave(receiver: socket.socket, group: GroupAddress, *, interface: str) -> None:
    """Leave the group, so that nothing more arrives and what has arrived can be read to its end."""
    receiver.setsockopt(socket.IPPROTO_IP, socket.IP_DROP_MEMBERSHIP, _membership(group, interface))


def dropped_by_kernel(receiver: socket.socket) -> int | None:
    """Give how many datagrams the kernel dropped for this socket; None if it can't say.

    SO_RXQ_OVFL tells the count only along with a datagram; this also sees the drops after the
    last one.
    """
    try:
        raw = receiver.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, _MEMINFO.size)
    except OSError:
        return None
    if len(raw) < _MEMINFO.size:
        return None
    return int(_MEMINFO.unpack(raw)[_MEMINFO_DROPS])


def open_sender(*, interface: str, hops: int = 1) -> socket.socket:
    """Open a socket that multicasts from the interface with this address, `hops` routers far.

    Members on the same machine hear it too. Raises MulticastError if the interface does not exist.
    """
    opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM, socket.IPPROTO_UDP)
    try:
        opened.setsockopt(
            socket.IPPROTO_IP, socket.IP_MULTICAST_IF, ipaddress.IPv4Address(interface).packed
        )
        opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, hops)
        opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
    except (OSError, ValueError) as error:
        opened.close()
        raise MulticastError(
            f"can't multicast from the interface {interface}: {error};"
            " give the address of an interface of this machine"
        ) from None
    return opened


def send(sender: socket.socket, datagram: bytes, *, to: GroupAddress) -> None:
    """Multicast one datagram. Raises MulticastError when the machine can't."""
    try:
        sender.sendto(datagram, to)
    except OSError as error:
        raise MulticastError(
            f"can't send {len(datagram)} bytes to {to}: {error.strerror or error};"
            f" a datagram has at most {DATAGRAM_BYTES} bytes and needs a route to the group"
        ) from None


def _membership(group: GroupAddress, interface: str) -> bytes:
    try:
        local = ipaddress.IPv4Address(interface).packed
    except ValueError:
        raise MulticastError(
            f"the interface {interface!r} is not an IPv4 address; write one such as 127.0.0.1"
        ) from None
    return ipaddress.IPv4Address(group.address).packed + local


def _timeval(seconds: float) -> bytes:
    whole = int(seconds)
    return struct.pack("ll", whole, int((seconds - whole) * 1_000_000))
