"""The pcap format: a header, then records, in the byte order of the machine that wrote them.

     0  I magic: a1b2c3d4 (microseconds) or a1b23c4d (nanoseconds)   4  H H version   8  i I unused
    16  I snapshot length                                           20  I link type
    24  records: I seconds, I fraction, I bytes kept, I bytes there were | the bytes

A length that lies is found before anything is allocated for it.
"""

from collections.abc import Iterator
from struct import Struct
from typing import BinaryIO, Final

from ingest.files.errors import FileReason
from ingest.files.packet import MOST_PACKET_BYTES, Packet, Tally

_MICROSECONDS_PER_SECOND: Final = 1_000_000
_NANOSECONDS_PER_MICROSECOND: Final = 1_000
_LINK_TYPE_MASK: Final = 0xFFFF
"""The upper bits say how long a check sum behind each frame is, which nobody needs here."""

HEADER_BYTES: Final = 24
MAGICS: Final = {
    bytes.fromhex("a1b2c3d4"): (">", 1),
    bytes.fromhex("d4c3b2a1"): ("<", 1),
    bytes.fromhex("a1b23c4d"): (">", _NANOSECONDS_PER_MICROSECOND),
    bytes.fromhex("4d3cb2a1"): ("<", _NANOSECONDS_PER_MICROSECOND),
}
"""The first four bytes -> the byte order, and how many parts of a second make a microsecond."""


def read_pcap(stream: BinaryIO, header: bytes, tally: Tally) -> Iterator[Packet]:
    """Give the records of a stream whose whole header was read already; ends when it ends."""
    order, parts_per_us = MAGICS[header[:4]]
    link_type = Struct(f"{order}I").unpack_from(header, 20)[0] & _LINK_TYPE_MASK
    record = Struct(f"{order}IIII")
    read = stream.read
    while raw := read(record.size):
        tally.records += 1
        if len(raw) < record.size:
            tally.left_out[FileReason.FILE_CUT] += 1
            return
        seconds, fraction, kept, length = record.unpack(raw)
        if kept > MOST_PACKET_BYTES:
            tally.left_out[FileReason.BAD_RECORD] += 1
            return
        data = read(kept)
        if len(data) < kept:
            tally.left_out[FileReason.FILE_CUT] += 1
            return
        captured_at = seconds * _MICROSECONDS_PER_SECOND + fraction // parts_per_us
        yield Packet(link_type, captured_at, data, kept < length)
