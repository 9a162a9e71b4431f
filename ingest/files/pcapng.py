"""The pcapng format: blocks of a type and a length, in sections that each have their byte order.

    section header 0x0A0D0D0A    byte order; interfaces are counted anew
    interface      1             link type, snapshot length; options: resolution and offset of time
    packet         6             interface, time, bytes kept, bytes there were | the bytes
    simple packet  3             bytes there were | the bytes; no time, so that of the one before
    old packet     2             as 6, in an older form
    statistics     5             what the capturing machine dropped on an interface
    others                       read over

    type | length | body, padded to 4 | length again

A block of a kind that is not needed is read over in small steps, so that its length costs nothing.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from struct import Struct, unpack, unpack_from
from typing import BinaryIO, Final, NamedTuple

from ingest.files.errors import FileReason, RecordFaultError
from ingest.files.packet import MOST_PACKET_BYTES, Packet, Tally

MAGIC: Final = bytes.fromhex("0a0d0d0a")
_SECTION: Final = 0x0A0D0D0A
_INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _STATISTICS, _PACKET = 1, 2, 3, 5, 6
_NEEDED: Final = frozenset({_INTERFACE, _OLD_PACKET, _SIMPLE_PACKET, _STATISTICS, _PACKET})
_ORDERS: Final = {bytes.fromhex("1a2b3c4d"): ">", bytes.fromhex("4d3c2b1a"): "<"}
_OPTION_END, _OPTION_OS_DROPS, _OPTION_RESOLUTION, _OPTION_OFFSET = 0, 7, 9, 14
_POWER_OF_TWO: Final = 0x80
_MICROSECONDS_PER_SECOND: Final = 1_000_000

_FRAME_BYTES: Final = 12
"""Type and both lengths: the least that a block has."""
_MOST_NEEDED_BYTES: Final = MOST_PACKET_BYTES + 4_096
"""The longest block of a needed kind: a packet, and its options."""
_MOST_INTERFACES: Final = 4_096
"""Of one section. A capture of all interfaces of a large machine has some hundred."""
_STEP_BYTES: Final = 65_536


class _Interface(NamedTuple):
    link_type: int
    kept_at_most: int
    parts_per_second: int
    offset_us: int

    def microseconds(self, ticks: int) -> int:
        return ticks * _MICROSECONDS_PER_SECOND // self.parts_per_second + self.offset_us


@dataclass(slots=True)
class _Section:
    """What holds for the blocks that follow."""

    order: str
    interfaces: list[_Interface]
    drops: dict[int, int]
    latest_at: int = 0


def read_pcapng(stream: BinaryIO, start: bytes, tally: Tally) -> Iterator[Packet]:
    """Give the packets of a stream of which `start` (at least 4 bytes) was read already."""
    source = _Source(stream, start)
    section = _Section("<", [], {})
    try:
        while maybe_block := _next_block(source, section):
            kind, body = maybe_block
            if kind in (_PACKET, _OLD_PACKET, _SIMPLE_PACKET):
                tally.records += 1
                try:
                    packet = _packet_of(kind, body, section)
                except RecordFaultError as fault:
                    tally.left_out[fault.reason] += 1
                else:
                    section.latest_at = packet.captured_at
                    yield packet
            elif kind == _INTERFACE:
                section.interfaces.append(_interface_of(body, section))
            elif kind == _STATISTICS:
                _note_drops(body, section, tally)
    except RecordFaultError as fault:
        tally.records += 1
        tally.left_out[fault.reason] += 1


class _Source:
    """The stream, with what was read of it already put back in front."""

    def __init__(self, stream: BinaryIO, start: bytes) -> None:
        self._stream = stream
        self._start = start

    def some(self, count: int) -> bytes:
        """Read so many bytes, or as many as there still are."""
        if not self._start:
            return self._stream.read(count)
        front, self._start = self._start[:count], self._start[count:]
        return front + self._stream.read(count - len(front)) if len(front) < count else front

    def exactly(self, count: int) -> bytes:
        data = self.some(count)
        if len(data) < count:
            raise RecordFaultError(FileReason.FILE_CUT)
        return data

    def pass_over(self, count: int) -> None:
        while count:
            count -= len(self.exactly(min(count, _STEP_BYTES)))


def _next_block(source: _Source, section: _Section) -> tuple[int, bytes] | None:
    """Read one block; a new section changes what holds from now on. None at the end."""
    head = source.some(8)
    if not head:
        return None
    if len(head) < 8:
        raise RecordFaultError(FileReason.FILE_CUT)
    order_bytes = b""
    if head[:4] == MAGIC:
        order_bytes = source.exactly(4)
        if order_bytes not in _ORDERS:
            raise RecordFaultError(FileReason.BAD_RECORD)
        section.order, section.interfaces, section.drops = _ORDERS[order_bytes], [], {}
    kind, length = unpack(f"{section.order}II", head)
    left = length - _FRAME_BYTES - len(order_bytes)
    if left < 0 or length % 4:
        raise RecordFaultError(FileReason.BAD_RECORD)
    if kind not in _NEEDED:
        source.pass_over(left)
        left = 0
    elif length > _MOST_NEEDED_BYTES:
        raise RecordFaultError(FileReason.BAD_RECORD)
    rest = source.exactly(left + 4)
    if rest[left:] != head[4:]:
        raise RecordFaultError(FileReason.BAD_RECORD)
    return kind, rest[:left]


def _packet_of(kind: int, body: bytes, section: _Section) -> Packet:
    if kind == _SIMPLE_PACKET:
        _require(len(body) >= 4)
        (length,) = unpack_from(f"{section.order}I", body)
        interface = _interface(section, 0)
        kept = min(length, interface.kept_at_most or length, len(body) - 4)
        return Packet(
            interface.link_type, section.latest_at, body[4 : 4 + kept], is_cut=kept < length
        )
    _require(len(body) >= 20)
    form = f"{section.order}IIIII" if kind == _PACKET else f"{section.order}HxxIIII"
    number, high, low, kept, length = unpack_from(form, body)
    _require(20 + kept <= len(body))
    interface = _interface(section, number)
    captured_at = interface.microseconds((high << 32) | low)
    return Packet(interface.link_type, captured_at, body[20 : 20 + kept], kept < length)


def _interface(section: _Section, number: int) -> _Interface:
    _require(number < len(section.interfaces))
    return section.interfaces[number]


def _interface_of(body: bytes, section: _Section) -> _Interface:
    _require(len(body) >= 8 and len(section.interfaces) < _MOST_INTERFACES)
    link_type, kept_at_most = unpack_from(f"{section.order}HxxI", body)
    parts_per_second, offset_us = _MICROSECONDS_PER_SECOND, 0
    for code, value in _options(body[8:], section):
        if code == _OPTION_RESOLUTION and value:
            exponent = value[0] & ~_POWER_OF_TWO
            parts_per_second = 2**exponent if value[0] & _POWER_OF_TWO else 10**exponent
        elif code == _OPTION_OFFSET and len(value) == 8:
            offset_us = unpack(f"{section.order}q", value)[0] * _MICROSECONDS_PER_SECOND
    return _Interface(link_type, kept_at_most, parts_per_second, offset_us)


def _note_drops(body: bytes, section: _Section, tally: Tally) -> None:
    """Take over what the capturing machine says that it lost; it counts from its start."""
    _require(len(body) >= 12)
    (number,) = unpack_from(f"{section.order}I", body)
    _require(number < len(section.interfaces))
    for code, value in _options(body[12:], section):
        if code == _OPTION_OS_DROPS and len(value) == 8:
            drops = unpack(f"{section.order}Q", value)[0]
            tally.dropped_before += drops - section.drops.get(number, 0)
            section.drops[number] = drops


def _options(raw: bytes, section: _Section) -> Iterator[tuple[int, bytes]]:
    """Give the options of a block, as far as they can be read."""
    head = Struct(f"{section.order}HH")
    start = 0
    while start + head.size <= len(raw):
        code, length = head.unpack_from(raw, start)
        start += head.size
        if code == _OPTION_END:
            return
        yield code, raw[start : start + length]
        start += length + -length % 4


def _require(is_so: bool) -> None:
    if not is_so:
        raise RecordFaultError(FileReason.BAD_RECORD)
