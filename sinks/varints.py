"""Kafka's variable-length numbers: seven bits to a byte, the lowest first, the sign in the lowest.

Lengths repeat all the time, so they are looked up: `VARINTS[148]` is `b"\\xa8\\x02"`.
"""

from __future__ import annotations

from typing import Final

_MOST_KEPT: Final = 65_536
"""Some 6 MB; a length beyond is written anew each time."""


class _Varints(dict[int, bytes]):
    def __missing__(self, number: int) -> bytes:
        written = write_varint(number)
        if len(self) < _MOST_KEPT:
            self[number] = written
        return written


def write_varint(number: int) -> bytes:
    """The bytes of a whole number of 64 bits."""
    rest = (number << 1) ^ (number >> 63)
    written = bytearray()
    while rest > 127:
        written.append(rest & 127 | 128)
        rest >>= 7
    written.append(rest)
    return bytes(written)


VARINTS: Final = _Varints()
