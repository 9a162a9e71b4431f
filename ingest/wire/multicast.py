"""Multicast sockets, both directions: the only place that names their options.

Members and the relay send through `open_sender`; the agent and the relay listen through
`open_receiver`. A receiver

- binds to the group's own address, so that unicast datagrams to the same port are none of its
  business;
- turns IP_MULTICAST_ALL off (and its twin of IPv6), else Linux hands it the groups that *other*
  sockets of the machine have joined;
- joins by the interface's number and the sender's address, if one is named: the same four calls of
  the kernel serve IPv4 and IPv6;
- asks for a large buffer, because what arrives while Python is busy waits there or is lost;
- has the kernel count what it drops, because a loss that nobody counts is a lie;
- has the kernel say when a datagram came (SO_TIMESTAMPNS), whenever Python finds time to read it.
"""

import contextlib
import ipaddress
import socket
import struct
from typing import Final, NamedTuple

from ingest.wire.addresses import (
    GroupAddress,
    Subscription,
    parse_group_address,
    parse_subscription,
)
from ingest.wire.errors import MulticastError
from ingest.wire.interfaces import interface_index, ipv4_address

__all__ = [
    "DATAGRAM_BYTES",
    "LOOPBACK_INTERFACE",
    "SO_TIMESTAMPNS",
    "GroupAddress",
    "Receiver",
    "Subscription",
    "dropped_by_kernel",
    "leave",
    "open_receiver",
    "open_sender",
    "parse_group_address",
    "parse_subscription",
    "send",
]
"""Addresses too: whoever opens sockets writes and reads them."""

DATAGRAM_BYTES: Final = 65_507
"""The longest payload of UDP over IPv4; IPv6 has room for 20 bytes more, and no message of ours
needs them."""

LOOPBACK_INTERFACE: Final = "127.0.0.1"

# Numbers of Linux that Python 3.11 has no names for.
_IP_MULTICAST_ALL: Final = 49
_IPV6_MULTICAST_ALL: Final = 29
_MCAST_JOIN_GROUP: Final = 42
_MCAST_LEAVE_GROUP: Final = 45
_MCAST_JOIN_SOURCE_GROUP: Final = 46
_MCAST_LEAVE_SOURCE_GROUP: Final = 47
_SO_RCVBUFFORCE: Final = 33
SO_TIMESTAMPNS: Final = 35
_SO_BINDTOIFINDEX: Final = 62
_SO_MEMINFO: Final = 55
_MEMINFO: Final = struct.Struct("9I")
_MEMINFO_DROPS: Final = 8
_GROUP_REQUEST: Final = struct.Struct("@I0P128s")
_SOURCE_REQUEST: Final = struct.Struct("@I0P128s128s")
_MULTICAST_IF: Final = struct.Struct("@4s4si")


class Receiver(NamedTuple):
    """A socket that has joined its group, and the buffer that the kernel gave it."""

    socket: socket.socket
    group: GroupAddress
    buffer_asked_bytes: int
    buffer_got_bytes: int
    has_source: bool
    membership: bytes
    """What was joined, as the kernel wants it named when it is left."""


def open_receiver(
    group: GroupAddress,
    *,
    interface: str,
    buffer_bytes: int,
    wait_at_most_s: float,
    maybe_source: str | None = None,
) -> Receiver:
    """Join a group on the interface with this name or address; a read waits `wait_at_most_s`.

    With a source only that sender is heard. Raises MulticastError if the interface does not exist
    or the kernel refuses.
    """
    index = interface_index(interface)
    opened = socket.socket(_family(group), socket.SOCK_DGRAM, socket.IPPROTO_UDP)
    try:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        _ask_for_buffer(opened, buffer_bytes)
        opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        # A time-out of the kernel's own costs nothing; Python's would poll before each datagram.
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVTIMEO, _timeval(wait_at_most_s))
        if group.is_ipv6:
            opened.setsockopt(socket.IPPROTO_IPV6, _IPV6_MULTICAST_ALL, 0)
            # IPv6 would also give what comes on other interfaces, if another socket joined there.
            opened.setsockopt(socket.SOL_SOCKET, _SO_BINDTOIFINDEX, index)
            opened.bind((group.address, group.port, 0, index))
        else:
            opened.setsockopt(socket.IPPROTO_IP, _IP_MULTICAST_ALL, 0)
            opened.bind(group)
        membership = _membership(group, index, maybe_source)
        option = _MCAST_JOIN_GROUP if maybe_source is None else _MCAST_JOIN_SOURCE_GROUP
        opened.setsockopt(_level(group), option, membership)
    except OSError as error:
        opened.close()
        source = "" if maybe_source is None else f" from {maybe_source}"
        raise MulticastError(
            f"can't join {group}{source} on the interface {interface}: {error.strerror or error};"
            " give the name or address of an interface of this machine that carries multicast"
        ) from None
    # The kernel gives twice what it grants, the other half being for its own book-keeping.
    got = opened.getsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF) // 2
    return Receiver(opened, group, buffer_bytes, got, maybe_source is not None, membership)


def leave(receiver: Receiver) -> None:
    """Leave the group, so that nothing more arrives and what has arrived can be read to its end.

    An interface that has gone meanwhile took its memberships along: there is nothing left to do.
    """
    option = _MCAST_LEAVE_SOURCE_GROUP if receiver.has_source else _MCAST_LEAVE_GROUP
    with contextlib.suppress(OSError):
        receiver.socket.setsockopt(_level(receiver.group), option, receiver.membership)


def dropped_by_kernel(receiver: socket.socket) -> int | None:
    """Give how many datagrams the kernel dropped for this socket; None if it can't say."""
    try:
        raw = receiver.getsockopt(socket.SOL_SOCKET, _SO_MEMINFO, _MEMINFO.size)
    except OSError:
        return None
    if len(raw) < _MEMINFO.size:
        return None
    return int(_MEMINFO.unpack(raw)[_MEMINFO_DROPS])


def open_sender(*, interface: str, hops: int = 1, is_ipv6: bool = False) -> socket.socket:
    """Open a socket that multicasts from the interface with this name or address, `hops` routers
    far.

    Members on the same machine hear it too. Raises MulticastError if the interface does not exist.
    """
    index = interface_index(interface)
    family = socket.AF_INET6 if is_ipv6 else socket.AF_INET
    opened = socket.socket(family, socket.SOCK_DGRAM, socket.IPPROTO_UDP)
    try:
        if is_ipv6:
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_IF, index)
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_HOPS, hops)
            opened.setsockopt(socket.IPPROTO_IPV6, socket.IPV6_MULTICAST_LOOP, 1)
        else:
            # Without its own address the kernel would put another interface's on loopback's.
            maybe_own = ipv4_address(interface)
            own = bytes(4) if maybe_own is None else maybe_own.packed
            request = _MULTICAST_IF.pack(bytes(4), own, index)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_IF, request)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_TTL, hops)
            opened.setsockopt(socket.IPPROTO_IP, socket.IP_MULTICAST_LOOP, 1)
    except OSError as error:
        opened.close()
        raise MulticastError(
            f"can't multicast from the interface {interface} over {hops} hops:"
            f" {error.strerror or error}; give an interface of this machine and 0 to 255 hops"
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


def _ask_for_buffer(opened: socket.socket, buffer_bytes: int) -> None:
    """Ask for all of it, which only a process with CAP_NET_ADMIN gets, else for what the machine's
    net.core.rmem_max allows to everyone.
    """
    try:
        opened.setsockopt(socket.SOL_SOCKET, _SO_RCVBUFFORCE, buffer_bytes)
    except OSError:
        opened.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, buffer_bytes)


def _membership(group: GroupAddress, index: int, maybe_source: str | None) -> bytes:
    target = _sockaddr(group.address)
    if maybe_source is None:
        return _GROUP_REQUEST.pack(index, target)
    return _SOURCE_REQUEST.pack(index, target, _sockaddr(maybe_source))


def _sockaddr(text: str) -> bytes:
    """Write an address as the kernel's sockaddr_in or sockaddr_in6, without a port."""
    address = ipaddress.ip_address(text)
    if isinstance(address, ipaddress.IPv4Address):
        return struct.pack("@HH", socket.AF_INET, 0) + address.packed
    return struct.pack("@HHI", socket.AF_INET6, 0, 0) + address.packed


def _family(group: GroupAddress) -> int:
    return socket.AF_INET6 if group.is_ipv6 else socket.AF_INET


def _level(group: GroupAddress) -> int:
    return socket.IPPROTO_IPV6 if group.is_ipv6 else socket.IPPROTO_IP


def _timeval(seconds: float) -> bytes:
    whole = int(seconds)
    return struct.pack("ll", whole, int((seconds - whole) * 1_000_000))
