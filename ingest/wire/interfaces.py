"""Network interfaces: from what an operator writes (a name or an address) to the kernel's number.

    lo, 127.0.0.1, ::1   ->   1

The kernel joins groups by the number of an interface; people know its name or its address. All
addresses count, also an interface's second and third.
"""

import array
import fcntl
import ipaddress
import socket
import struct
from pathlib import Path
from typing import Final

from ingest.wire.errors import MulticastError

_SIOCGIFCONF: Final = 0x8912
_IFREQ: Final = struct.Struct("@16s24s" if struct.calcsize("P") == 8 else "@16s16s")
_IFCONF: Final = struct.Struct("@iP")
_MOST_ADDRESSES: Final = 1_024
"""IPv4 addresses that are looked through; a machine with more must be told an interface's name."""

_IPV6_ADDRESSES: Final = Path("/proc/net/if_inet6")


def interface_index(interface: str) -> int:
    """Give the kernel's number of an interface. Raises MulticastError if there is none such."""
    try:
        address = ipaddress.ip_address(interface)
    except ValueError:
        return _index_of_name(interface, asked=interface)
    if isinstance(address, ipaddress.IPv4Address):
        maybe_name = _ipv4_names().get(address)
        if maybe_name is not None:
            return _index_of_name(maybe_name, asked=interface)
    else:
        maybe_index = _ipv6_indices().get(address)
        if maybe_index is not None:
            return maybe_index
    raise _absent(interface)


def ipv4_address(interface: str) -> ipaddress.IPv4Address | None:
    """Give the address to send from: the one that was written, else the interface's first; None if
    it has none.
    """
    try:
        return ipaddress.IPv4Address(interface)
    except ValueError:
        index = interface_index(interface)
    for address, name in _ipv4_names().items():
        if _index_of_name(name, asked=interface) == index:
            return address
    return None


def _index_of_name(name: str, *, asked: str) -> int:
    try:
        return socket.if_nametoindex(name)
    except (OSError, ValueError):
        raise _absent(asked) from None


def _absent(interface: str) -> MulticastError:
    return MulticastError(
        f"no interface of this machine is or has {interface!r}; give a name ({_names()}) or the"
        " address of one"
    )


def _names() -> str:
    """Tell the interfaces; a sandbox may forbid to ask for them."""
    try:
        return ", ".join(name for _, name in socket.if_nameindex())
    except OSError:
        return "see ip link"


def _ipv4_names() -> dict[ipaddress.IPv4Address, str]:
    """Ask the kernel for the IPv4 addresses of all interfaces; an alias counts for its owner."""
    room = array.array("B", bytes(_IFREQ.size * _MOST_ADDRESSES))
    start, _ = room.buffer_info()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        told = fcntl.ioctl(probe.fileno(), _SIOCGIFCONF, _IFCONF.pack(len(room), start))
    used, _ = _IFCONF.unpack(told)
    found: dict[ipaddress.IPv4Address, str] = {}
    for label, address in _IFREQ.iter_unpack(room.tobytes()[:used]):
        name = label.rstrip(b"\0").decode("utf-8", "replace").partition(":")[0]
        found[ipaddress.IPv4Address(address[4:8])] = name
    return found


def _ipv6_indices() -> dict[ipaddress.IPv6Address, int]:
    """Read the IPv6 addresses of all interfaces; none where the kernel has no IPv6."""
    try:
        lines = _IPV6_ADDRESSES.read_text(encoding="ascii").splitlines()
    except OSError:
        return {}
    rows = [line.split() for line in lines]
    return {ipaddress.IPv6Address(bytes.fromhex(row[0])): int(row[1], 16) for row in rows}
