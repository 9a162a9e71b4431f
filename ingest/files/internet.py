"""IPv4 and IPv6 headers: who sent a packet to whom, and what it carries, whole or a piece of it.

Extension headers of IPv6 are read over; a fragment header makes the packet a piece. What follows
the length that a header states (padding of a short frame, a check sum) is cut off. A header that
states no length at all, as network cards leave it when they do the work, means all there is.
"""

from struct import Struct
from typing import Final, NamedTuple

from ingest.files.errors import FileReason, RecordFaultError

UDP: Final = 17
_IPV4: Final = Struct(">BxHHHxBxx4s4s")
_IPV6: Final = Struct(">4xHBx16s16s")
_FRAGMENT: Final = Struct(">BxHI")
_MORE_IPV4: Final = 0x2000
_OFFSET_IPV4: Final = 0x1FFF
_HOP_BY_HOP, _ROUTING, _FRAGMENT_HEADER, _AUTHENTICATION, _DESTINATION = 0, 43, 44, 51, 60
_EXTENSIONS: Final = frozenset({_HOP_BY_HOP, _ROUTING, _AUTHENTICATION, _DESTINATION})
_MOST_EXTENSIONS: Final = 8
"""Real packets have one or two."""


class InternetPacket(NamedTuple):
    """An IPv4 or IPv6 packet of UDP, or a piece of one."""

    source: bytes
    target: bytes
    content: bytes
    identification: int = 0
    """Which packet a piece belongs to."""
    offset: int = 0
    """Where a piece begins, in bytes."""
    has_more: bool = False
    """Whether pieces behind this one follow."""

    @property
    def is_piece(self) -> bool:
        return self.has_more or self.offset > 0


def parse_internet(data: bytes, *, is_cut: bool) -> InternetPacket:
    """Read the headers. Raises RecordFaultError if there is no UDP, or less than is stated."""
    version = data[0] >> 4 if data else 0
    if version == 4:
        return _parse_ipv4(data, is_cut=is_cut)
    if version == 6:
        return _parse_ipv6(data, is_cut=is_cut)
    raise RecordFaultError(FileReason.NOT_IP if data else FileReason.BAD_PACKET)


def _parse_ipv4(data: bytes, *, is_cut: bool) -> InternetPacket:
    _require(len(data) >= _IPV4.size, is_cut=is_cut)
    first, total, identification, place, protocol, source, target = _IPV4.unpack_from(data)
    header_bytes = (first & 0x0F) * 4
    total = total or len(data)
    if protocol != UDP:
        raise RecordFaultError(FileReason.NOT_UDP)
    if not _IPV4.size <= header_bytes <= total:
        raise RecordFaultError(FileReason.BAD_PACKET)
    _require(total <= len(data), is_cut=is_cut)
    return InternetPacket(
        source,
        target,
        data[header_bytes:total],
        identification,
        (place & _OFFSET_IPV4) * 8,
        bool(place & _MORE_IPV4),
    )


def _parse_ipv6(data: bytes, *, is_cut: bool) -> InternetPacket:
    _require(len(data) >= _IPV6.size, is_cut=is_cut)
    length, kind, source, target = _IPV6.unpack_from(data)
    end = _IPV6.size + length if length else len(data)
    start = _IPV6.size
    identification, offset, has_more = 0, 0, False
    for _ in range(_MOST_EXTENSIONS):
        if kind == _FRAGMENT_HEADER:
            _require(start + _FRAGMENT.size <= len(data), is_cut=is_cut)
            kind, place, identification = _FRAGMENT.unpack_from(data, start)
            offset, has_more = place & 0xFFF8, bool(place & 1)
            start += _FRAGMENT.size
            if offset:
                break  # a later piece carries no headers of its own
        elif kind in _EXTENSIONS:
            _require(start + 2 <= len(data), is_cut=is_cut)
            size = (data[start + 1] + 2) * 4 if kind == _AUTHENTICATION else data[start + 1] * 8 + 8
            kind, start = data[start], start + size
        else:
            break
    if kind != UDP:
        raise RecordFaultError(FileReason.NOT_UDP)
    if start > end:
        raise RecordFaultError(FileReason.BAD_PACKET)
    _require(end <= len(data), is_cut=is_cut)
    return InternetPacket(source, target, data[start:end], identification, offset, has_more)


def _require(is_there: bool, *, is_cut: bool) -> None:
    """Bytes that a header promises and that are not there: cut off at capture, or a lie."""
    if not is_there:
        raise RecordFaultError(FileReason.PACKET_CUT if is_cut else FileReason.BAD_PACKET)
