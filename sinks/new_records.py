"""Which records of a numbered topic are new: those whose ordinals go on from what is known.

Partition and ordinal stand in fixed places of every numbered record (`sinks.records`), so a glance
at the heads is enough. The records come in the order of the topic, and what goes back is a repeat::

    known: 4      ordinals   5 6 5 6 7      new   5 6 . . 7
    known: 7      ordinals   9 10           new   9 10, and 8 is missing

What is none of ours has no ordinal; whoever decodes it says what it is.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

from sinks.arrow_bytes import parts, structures
from sinks.records import HEAD_BYTES, NUMBERED, VERSION

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa

    Flags = npt.NDArray[np.bool_]

_HEAD: Final = [
    ("kind", ">u4"), ("version", ">u1"), ("reserved", ">u1"), ("marks", ">u2"),
    ("ordinal", ">i8"), ("position", ">i8"), ("partition", ">i4"),
]  # fmt: skip
_NUMBERED: Final = int.from_bytes(NUMBERED)


class NewRecords:
    """What is known of each raw partition, going on as records are looked at."""

    def __init__(self, last: Mapping[int, int]) -> None:
        self.last = dict(last)
        """the greatest ordinal of each raw partition"""
        self.holes: list[str] = []
        """sentences about ordinals that were passed over"""

    def are_new(self, records: pa.Array) -> Flags:
        """Tell of each of the next records whether it is new, or none of ours."""
        import numpy as np

        data, starts, lengths = parts(records)
        at = np.flatnonzero(lengths >= HEAD_BYTES)
        head = structures(data, starts[at], _HEAD)
        is_ours = (head["kind"] >> 8 == _NUMBERED) & (head["version"] == VERSION)
        is_ours &= (head["ordinal"] > 0) & (head["partition"] >= 0)
        at, head = at[is_ours], head[is_ours]
        chosen = np.ones(len(records), np.bool_)
        for partition, mine in _by_partition(head["partition"]):
            ordinals = head["ordinal"][mine].astype(np.int64)
            known = self.last.get(partition, 0)
            before = np.maximum.accumulate(np.concatenate([[known], ordinals]))
            is_new = ordinals > before[:-1]
            chosen[at[mine]] = is_new
            self._note_holes(partition, before[:-1][is_new], ordinals[is_new])
            if is_new.any():
                self.last[partition] = int(before[-1])
        return chosen

    def _note_holes(self, partition: int, before: Any, ordinals: Any) -> None:
        import numpy as np

        for at in np.flatnonzero(ordinals > before + 1).tolist():
            self.holes.append(
                f"ordinals {before[at] + 1} to {ordinals[at] - 1} of partition {partition} are "
                "missing; run precede verify"
            )


def _by_partition(partitions: Any) -> Iterator[tuple[int, Any]]:
    """Each partition with the places of its records; nearly always there is one."""
    import numpy as np

    found = np.unique(partitions).tolist()
    for partition in found:
        yield partition, slice(None) if len(found) == 1 else partitions == partition
