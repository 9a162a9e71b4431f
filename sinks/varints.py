"""Kafka's variable-length numbers: seven bits to a byte, the lowest first, the sign in the lowest.

Lengths repeat all the time, so they are looked up: `VARINTS[148]` is `b"\\xa8\\x02"`, and `varints`
looks up many at once.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    import pyarrow as pa

    from sinks.arrow_bytes import Numbers

_MOST_KEPT: Final = 65_536
"""Some 6 MB; a length beyond is written anew each time."""
_TABLE_SIZE: Final = 16_384
"""Nearly all lengths, and nearly all places in a batch; to make more of them takes too long."""


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


def varints(numbers: Numbers) -> pa.Array:
    """The bytes of each of these numbers, none of which is below 0, as an array of Arrow's."""
    import numpy as np
    import pyarrow as pa

    if not len(numbers) or numbers.max() < _TABLE_SIZE:
        return _table().take(pa.array(numbers))
    different, places = np.unique(numbers, return_inverse=True)
    return _array_of(different.tolist()).take(pa.array(places))


@cache
def _table() -> pa.Array:
    return _array_of(range(_TABLE_SIZE))


def _array_of(numbers: Iterable[int]) -> pa.Array:
    import pyarrow as pa

    return pa.array([VARINTS[number] for number in numbers], pa.large_binary())
