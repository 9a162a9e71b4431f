"""Where datagrams go and whom an agent listens to, as text and as values. No socket here.

    239.255.80.1:5080                        a group: multicast address and port
    [ff15::80]:5080                          the same with IPv6, in brackets because of its colons
    10.0.0.7@232.1.1.1:5080                  what one sender sends to a group, and nobody else
    2001:db8::7@[ff35::8000:1]:5080%eth1     the same with IPv6, on an interface of its own

A text has one meaning, and `str` of the value gives it back in its one spelling.
"""

import ipaddress
from typing import Final, NamedTuple

from ingest.wire.errors import MulticastError

FORM: Final = "[SENDER@]GROUP:PORT[%INTERFACE]"
"""How a subscription is written, in words."""

_LAST_PORT: Final = 65_535
_EXAMPLES: Final = "such as 239.255.80.1:5080 or [ff15::80]:5080"


class GroupAddress(NamedTuple):
    """Where a group's datagrams go: a multicast address and a port."""

    address: str
    port: int

    @property
    def is_ipv6(self) -> bool:
        return ":" in self.address

    def __str__(self) -> str:
        return written(self.address, self.port)


class Subscription(NamedTuple):
    """What an agent listens to: a group, perhaps one sender's part of it, perhaps on its own
    interface.
    """

    group: GroupAddress
    maybe_source: str | None = None
    """Only what comes from this address; the network then carries nothing else here."""
    maybe_interface: str | None = None
    """Name or address of the interface; else the agent's."""

    def __str__(self) -> str:
        source = "" if self.maybe_source is None else f"{self.maybe_source}@"
        interface = "" if self.maybe_interface is None else f"%{self.maybe_interface}"
        return f"{source}{self.group}{interface}"


def written(address: str, port: int) -> str:
    """Write an address and a port; an IPv6 address has colons of its own and gets brackets."""
    return f"[{address}]:{port}" if ":" in address else f"{address}:{port}"


def parse_group_address(text: str) -> GroupAddress:
    """Read `239.255.80.1:5080`. Raises MulticastError, which says what to write instead."""
    host, _, port = text.rpartition(":")
    is_bracketed = host.startswith("[") and host.endswith("]")
    maybe_address = _maybe_address(host[1:-1] if is_bracketed else host)
    if maybe_address is None or not maybe_address.is_multicast:
        raise MulticastError(
            f"{text!r} has no multicast address; write one from 224.0.0.0 to 239.255.255.255, or"
            f" one that begins with ff in brackets, and a port, {_EXAMPLES}"
        )
    if is_bracketed != (maybe_address.version == 6):
        raise MulticastError(f"{text!r} has brackets in the wrong place; write it {_EXAMPLES}")
    if not (port.isascii() and port.isdigit() and 1 <= int(port) <= _LAST_PORT):
        raise MulticastError(f"the port of {text!r} is not a number from 1 to {_LAST_PORT}")
    return GroupAddress(str(maybe_address), int(port))


def parse_subscription(text: str) -> Subscription:
    """Read `[SENDER@]GROUP:PORT[%INTERFACE]`. Raises MulticastError, which says what to write."""
    front, percent, interface = text.partition("%")
    if percent and not interface:
        raise MulticastError(
            f"{text!r} ends where an interface should stand; write {FORM}, such as"
            " 239.255.80.1:5080%eth0"
        )
    if percent and interface.endswith(f"]:{interface.rpartition(':')[2]}"):
        raise MulticastError(
            f"{text!r} has the interface inside the brackets; write it last, such as"
            " [ff15::80]:5080%eth0"
        )
    source, at, group_text = front.rpartition("@")
    group = parse_group_address(group_text)
    if not at:
        return Subscription(group, None, interface or None)
    maybe_source = _maybe_address(source)
    if maybe_source is None or maybe_source.is_multicast or maybe_source.is_unspecified:
        raise MulticastError(
            f"the sender {source!r} of {text!r} is not the address of one machine; write one such"
            " as 10.0.0.7@232.1.1.1:5080, without port or brackets"
        )
    if (maybe_source.version == 6) != group.is_ipv6:
        raise MulticastError(
            f"the sender and the group of {text!r} are not both IPv4 or both IPv6; a sender reaches"
            " only groups of its own kind"
        )
    return Subscription(group, str(maybe_source), interface or None)


def _maybe_address(text: str) -> ipaddress.IPv4Address | ipaddress.IPv6Address | None:
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return None
    return None if "%" in text else address
