"""Arrow's binary arrays as numpy sees them: one buffer, and where each value lies in it.

For those who read many records at once: numbers that stand in known places become arrays, names and
payloads become slices, and no Python value is made of any of them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Bytes = npt.NDArray[np.uint8]
    Numbers = npt.NDArray[np.int64]


def large(values: Sequence[bytes] | pa.Array | pa.ChunkedArray) -> pa.Array | pa.ChunkedArray:
    """Bytes as an array that may have any size: the usual one ends at two gigabytes."""
    import pyarrow as pa

    if isinstance(values, pa.Array | pa.ChunkedArray):
        return values.cast(pa.large_binary())
    return pa.array(values, pa.large_binary())


def whole(values: pa.Array | pa.ChunkedArray) -> pa.Array:
    """The same in one piece; nothing is copied if it is in one."""
    import pyarrow as pa

    return values.combine_chunks() if isinstance(values, pa.ChunkedArray) else values


def sizes(values: pa.Array | pa.ChunkedArray) -> Numbers:
    """How long each value is; NULL is empty."""
    import pyarrow.compute as pc

    found: Numbers = pc.fill_null(pc.binary_length(values), 0).to_numpy()
    return found


def joined(*pieces: pa.Array | bytes) -> pa.Array:
    """For each place, the bytes that all pieces have there, one after the other; a piece that is
    no array is the same for all. NULL where one of them is.
    """
    import pyarrow.compute as pc

    return pc.binary_join_element_wise(*map(_scalar_or_array, pieces), _scalar_or_array(b""))


def _scalar_or_array(piece: pa.Array | bytes) -> pa.Array | pa.Scalar:
    import pyarrow as pa

    return pa.scalar(piece, pa.large_binary()) if isinstance(piece, bytes) else piece


def parts(values: pa.Array) -> tuple[Bytes, Numbers, Numbers]:
    """The bytes of an array, where each value starts in them, and how long it is; NULL is empty."""
    import numpy as np
    import pyarrow as pa

    _, maybe_offsets, maybe_data = values.buffers()
    if not len(values) or maybe_offsets is None or maybe_data is None:
        none = np.zeros(len(values), np.int64)
        return np.zeros(0, np.uint8), none, none
    first = values.offset
    kind = np.int64 if pa.types.is_large_binary(values.type) else np.int32
    stored = np.frombuffer(maybe_offsets, kind)[first : first + len(values) + 1]
    offsets = stored.astype(np.int64)
    return np.frombuffer(maybe_data, np.uint8), offsets[:-1], np.diff(offsets)


def structures(data: Bytes, starts: Numbers, layout: list[tuple[str, str]]) -> Any:
    """What lies at these places, as a structured array; `layout` is of numpy's names."""
    import numpy as np

    kind = np.dtype(layout)
    if not len(starts):
        return np.zeros(0, kind)
    windows = np.lib.stride_tricks.sliding_window_view(data, kind.itemsize)
    return windows[starts].view(kind)[:, 0]


def slices(data: Bytes, starts: Numbers, lengths: Numbers) -> pa.Array:
    """The bytes at these places, as an array of Arrow's. Each begins where the one before it ends,
    or behind that.

    They are taken, every other one, from an array of the slices and what lies between them::

        data     . . a a . b b b .        slices   aa . bbb .        taken   aa bbb
    """
    import numpy as np
    import pyarrow as pa

    count = len(starts)
    if not count:
        return pa.array([], pa.binary())
    is_small = len(data) <= np.iinfo(np.int32).max
    offsets = np.empty(2 * count, np.int32 if is_small else np.int64)
    offsets[0::2] = starts
    offsets[1::2] = starts + lengths
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data)]
    kind = pa.binary() if is_small else pa.large_binary()
    with_gaps = pa.Array.from_buffers(kind, 2 * count - 1, buffers)
    return with_gaps.take(pa.array(np.arange(0, 2 * count, 2)))
