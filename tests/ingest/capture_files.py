"""A writer of capture files for tests, in every form that the reader knows."""

import ipaddress
import struct
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from ingest.files import link_layers
from ingest.wire.addresses import GroupAddress, written

SOURCE_PORT = 40_001
SOURCE = {False: "10.0.0.7", True: "2001:db8::7"}
IPV4_GROUP = GroupAddress("239.255.80.1", 5080)
IPV6_GROUP = GroupAddress("ff15::80", 5080)
BEGINNING_S = 1_760_000_000
STEP_US = 1_000
LINK_TYPES = (
    link_layers.ETHERNET, link_layers.LINUX_COOKED, link_layers.LINUX_COOKED_2, link_layers.NULL,
    link_layers.LOOP, link_layers.RAW,
)  # fmt: skip


class Record(NamedTuple):
    """A packet for a file: its bytes, its time, and how long it was on the wire."""

    data: bytes
    captured_at: int
    length: int


def records(packets: Iterable[bytes]) -> list[Record]:
    """Give packets times, one step apart."""
    start = BEGINNING_S * 1_000_000
    return [
        Record(packet, start + number * STEP_US, len(packet))
        for number, packet in enumerate(packets)
    ]


def source_of(group: GroupAddress) -> str:
    """Who sends the datagrams of this module, as a datagram tells it."""
    return written(SOURCE[group.is_ipv6], SOURCE_PORT)


def udp(payload: bytes, group: GroupAddress = IPV4_GROUP) -> bytes:
    return struct.pack(">HHHH", SOURCE_PORT, group.port, len(payload) + 8, 0) + payload


def ip(
    content: bytes,
    group: GroupAddress = IPV4_GROUP,
    *,
    protocol: int = 17,
    identification: int = 0,
    offset: int = 0,
    has_more: bool = False,
    extensions: bytes = b"",
) -> bytes:
    """A packet of IPv4 or IPv6, as the group is; whole, or the piece that begins at `offset`."""
    source = ipaddress.ip_address(SOURCE[group.is_ipv6]).packed
    target = ipaddress.ip_address(group.address).packed
    if not group.is_ipv6:
        place = offset // 8 | (0x2000 if has_more else 0)
        head = struct.pack(
            ">BBHHHBBH", 0x45, 0, 20 + len(content), identification, place, 1, protocol, 0
        )
        return head + source + target + content
    first = protocol
    if offset or has_more:
        extensions += struct.pack(">BBHI", protocol, 0, offset | has_more, identification)
        first = 44
    elif extensions:
        first = 0
    head = struct.pack(">IHBB", 6 << 28, len(extensions) + len(content), first, 1)
    return head + source + target + extensions + content


def pieces(content: bytes, group: GroupAddress, *, size: int, identification: int) -> list[bytes]:
    """Cut what a packet carries into pieces of `size` bytes, a multiple of 8."""
    return [
        ip(
            content[at : at + size], group, identification=identification, offset=at,
            has_more=at + size < len(content),
        )
        for at in range(0, len(content), size)
    ]  # fmt: skip


def framed(packet: bytes, link_type: int, *, vlans: Sequence[int] = ()) -> bytes:
    """Put the link layer in front of a packet; each VLAN tag is told by its ethertype."""
    kind = 0x86DD if packet[0] >> 4 == 6 else 0x0800
    kinds = [*vlans, kind]
    tags = b"".join(struct.pack(">HH", 100, following) for following in kinds[1:])
    kind = kinds[0]
    family = 10 if packet[0] >> 4 == 6 else 2
    fronts = {
        link_layers.ETHERNET: bytes(12) + struct.pack(">H", kind) + tags,
        link_layers.LINUX_COOKED: struct.pack(">HHH8sH", 2, 1, 6, bytes(8), kind) + tags,
        link_layers.LINUX_COOKED_2: struct.pack(">HHIHBB8s", kind, 0, 1, 1, 2, 6, bytes(8)) + tags,
        link_layers.NULL: struct.pack("<I", family),
        link_layers.LOOP: struct.pack(">I", family),
    }
    return fronts.get(link_type, b"") + packet


def pcap(
    content: Iterable[Record], link_type: int, *, order: str = "<", is_nano: bool = False
) -> bytes:
    """A pcap file."""
    magic = 0xA1B23C4D if is_nano else 0xA1B2C3D4
    parts = [struct.pack(f"{order}IHHiIII", magic, 2, 4, 0, 0, 262_144, link_type)]
    for data, captured_at, length in content:
        seconds, fraction = divmod(captured_at, 1_000_000)
        fraction = fraction * 1_000 + 999 if is_nano else fraction
        parts += [struct.pack(f"{order}IIII", seconds, fraction, len(data), length), data]
    return b"".join(parts)


def block(kind: int, body: bytes, *, order: str = "<") -> bytes:
    """A block of a pcapng file."""
    body += bytes(-len(body) % 4)
    size = len(body) + 12
    return struct.pack(f"{order}II", kind, size) + body + struct.pack(f"{order}I", size)


def option(code: int, value: bytes, *, order: str = "<") -> bytes:
    """An option of a block."""
    return struct.pack(f"{order}HH", code, len(value)) + value + bytes(-len(value) % 4)


def section(*, order: str = "<") -> bytes:
    """The header of a pcapng section."""
    return block(0x0A0D0D0A, struct.pack(f"{order}IHHq", 0x1A2B3C4D, 1, 0, -1), order=order)


def interface(link_type: int, *, order: str = "<", options: bytes = b"") -> bytes:
    """A pcapng interface; without options its time counts microseconds."""
    end = option(0, b"", order=order) if options else b""
    return block(1, struct.pack(f"{order}HHI", link_type, 0, 262_144) + options + end, order=order)


def enhanced(
    record: Record, number: int = 0, *, ticks: int | None = None, order: str = "<"
) -> bytes:
    """A pcapng packet of the usual kind."""
    time = record.captured_at if ticks is None else ticks
    head = struct.pack(
        f"{order}IIIII", number, time >> 32, time & 0xFFFFFFFF, len(record.data), record.length
    )
    return block(6, head + record.data, order=order)


def pcapng(content: Iterable[Record], link_type: int, *, order: str = "<") -> bytes:
    """A pcapng file with one section and one interface."""
    packets = [enhanced(record, order=order) for record in content]
    return b"".join([section(order=order), interface(link_type, order=order), *packets])
