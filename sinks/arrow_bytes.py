"""Arrow's binary arrays as numpy sees them: one buffer, and where each value lies in it.

For those who read many records at once: numbers that stand in known places become arrays, names and
payloads become slices, and no Python value is made of any of them.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Bytes = npt.NDArray[np.uint8]
    Numbers = npt.NDArray[np.int64]


def parts(values: pa.Array) -> tuple[Bytes, Numbers, Numbers]:
    """The bytes of an array, where each value starts in them, and how long it is; NULL is empty."""
    import numpy as np

    _, maybe_offsets, maybe_data = values.buffers()
    if not len(values) or maybe_offsets is None or maybe_data is None:
        none = np.zeros(len(values), np.int64)
        return np.zeros(0, np.uint8), none, none
    first = values.offset
    narrow = np.frombuffer(maybe_offsets, np.int32)[first : first + len(values) + 1]
    offsets = narrow.astype(np.int64)
    return np.frombuffer(maybe_data, np.uint8), offsets[:-1], np.diff(offsets)


def structures(data: Bytes, starts: Numbers, layout: list[tuple[str, str]]) -> Any:
    """What lies at these places, as a structured array; `layout` is of numpy's names."""
    import numpy as np

    kind = np.dtype(layout)
    if not len(starts):
        return np.zeros(0, kind)
    return np.ascontiguousarray(data[starts[:, None] + np.arange(kind.itemsize)]).view(kind)[:, 0]


def slices(data: Bytes, starts: Numbers, lengths: Numbers) -> pa.Array:
    """The bytes at these places, as an array of Arrow's."""
    import numpy as np
    import pyarrow as pa

    ends = np.cumsum(lengths)
    offsets = np.concatenate([[0], ends]).astype(np.int32)
    places = np.repeat(starts - (ends - lengths), lengths)
    places += np.arange(len(places))
    buffers = [None, pa.py_buffer(offsets), pa.py_buffer(data[places])]
    return pa.Array.from_buffers(pa.binary(), len(starts), buffers)
