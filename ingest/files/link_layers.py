"""Where the internet packet begins in what was captured, for the link types that captures have.

    number        link type                  in front of the internet packet
    1             Ethernet                   14 bytes, and 4 for each VLAN tag (also two: QinQ)
    113, 276      Linux cooked, v1 and v2    16 and 20 bytes: a capture of all interfaces
    0, 108        loopback of BSD and macOS  4 bytes: the family, in the writer's order or the net's
    12, 14, 101   raw IP                     nothing
    228, 229      raw IPv4, raw IPv6         nothing

The numbers are those of the pcap library's public list of link types.
"""

from typing import Final

from ingest.files.errors import FileReason, RecordFaultError

ETHERNET: Final = 1
LINUX_COOKED: Final = 113
LINUX_COOKED_2: Final = 276
NULL: Final = 0
LOOP: Final = 108
RAW: Final = 101
RAW_IPV4: Final = 228
RAW_IPV6: Final = 229
_RAW_TYPES: Final = frozenset({12, 14, RAW, RAW_IPV4, RAW_IPV6})

_ETHERTYPE_AT: Final = {ETHERNET: 12, LINUX_COOKED: 14, LINUX_COOKED_2: 0}
_HEADER_BYTES: Final = {ETHERNET: 14, LINUX_COOKED: 16, LINUX_COOKED_2: 20}
_INTERNET: Final = frozenset({0x0800, 0x86DD})
_VLAN: Final = frozenset({0x8100, 0x88A8, 0x9100})
_MOST_TAGS: Final = 4
"""Two are usual where providers carry customers; more than four is somebody's joke."""

_FAMILIES: Final = frozenset({2, 10, 24, 28, 30})
"""IPv4, and the numbers that Linux and the BSDs have for IPv6."""


def internet_part(link_type: int, data: bytes) -> bytes:
    """Give what follows the link layer. Raises RecordFaultError if it is no internet packet."""
    if link_type in _RAW_TYPES:
        return data
    if link_type in _HEADER_BYTES:
        return _behind_ethertype(link_type, data)
    if link_type in (NULL, LOOP):
        return _behind_family(data)
    raise RecordFaultError(FileReason.UNKNOWN_LINK_TYPE)


def _behind_ethertype(link_type: int, data: bytes) -> bytes:
    kind = _number(data, _ETHERTYPE_AT[link_type])
    start = _HEADER_BYTES[link_type]
    tags = 0
    while kind in _VLAN and tags < _MOST_TAGS:
        kind = _number(data, start + 2)
        start += 4
        tags += 1
    if kind not in _INTERNET:
        raise RecordFaultError(FileReason.NOT_IP)
    return data[start:]


def _behind_family(data: bytes) -> bytes:
    if len(data) < 4:
        raise RecordFaultError(FileReason.BAD_PACKET)
    families = {int.from_bytes(data[:4], "little"), int.from_bytes(data[:4], "big")}
    if not families & _FAMILIES:
        raise RecordFaultError(FileReason.NOT_IP)
    return data[4:]


def _number(data: bytes, start: int) -> int:
    if start + 2 > len(data):
        raise RecordFaultError(FileReason.BAD_PACKET)
    return int.from_bytes(data[start : start + 2], "big")
