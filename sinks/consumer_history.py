"""The past, from the table `deliveries`, without Spark and in the order of the log.

Rows are read in windows of ordinals, so that a table of any size needs the memory of one window.
Files and row groups that cannot have a window's rows are skipped by their statistics.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, NamedTuple

from sinks.consumer_delivery import Delivery, delivery_of_row
from sinks.table_reader import open_dataset
from sinks.tables import DELIVERIES

if TYPE_CHECKING:
    import pyarrow.dataset as pds

WINDOW = 4_096
"""Rows in memory at once: enough to hide the cost of a look into the files."""
_INSTANTS = ("sent_at", "captured_at")
COLUMNS = (
    "group", "position", "id", "sender", "seq", "parent", "also", "payload", "stamps", "marks",
    "sent_at", "captured_at", "raw_partition", "raw_offset", "raw_entry", "ordinal",
)  # fmt: skip
"""What a delivery is made of; a table of another release may have more."""


class Extent(NamedTuple):
    """Which ordinals of a partition the table has."""

    first: int
    last: int


class Numbered(NamedTuple):
    """One row: its number, and the delivery unless it is of a group that is not read."""

    ordinal: int
    maybe_delivery: Delivery | None


class History:
    """One version of the table; `refresh` takes the newest."""

    def __init__(self, directory: str, *, groups: tuple[str, ...] | None) -> None:
        self._directory = directory
        self._groups = groups
        self._dataset = open_dataset(directory, DELIVERIES)

    def refresh(self) -> None:
        """Look at the table as it is now."""
        self._dataset = open_dataset(self._directory, DELIVERIES)

    def extents(self) -> dict[int, Extent]:
        """For each partition, the least and the greatest ordinal."""
        import pyarrow as pa

        found: dict[int, Extent] = {}
        for batch in self._dataset.to_batches(columns=["raw_partition", "ordinal"]):
            grouped = pa.Table.from_batches([batch]).group_by("raw_partition")
            summed = grouped.aggregate([("ordinal", "min"), ("ordinal", "max")]).to_pydict()
            rows = zip(
                summed["raw_partition"], summed["ordinal_min"], summed["ordinal_max"], strict=True
            )
            for partition, first, last in rows:
                known = found.get(partition, Extent(first, last))
                found[partition] = Extent(min(known.first, first), max(known.last, last))
        return found

    def read(self, partition: int, *, first: int, last: int) -> Iterator[Numbered]:
        """What there is of one partition from `first` to `last`, in order."""
        for start in range(first, last + 1, WINDOW):
            yield from self._window(partition, start, min(start + WINDOW - 1, last))

    def _window(self, partition: int, first: int, last: int) -> list[Numbered]:
        try:
            return self._read_window(partition, first, last)
        except FileNotFoundError:
            # The table was compacted and its old files are gone; the rows are in newer ones.
            self.refresh()
            return self._read_window(partition, first, last)

    def _read_window(self, partition: int, first: int, last: int) -> list[Numbered]:
        import pyarrow.dataset as pds

        ordinal = pds.field("ordinal")
        here = (pds.field("raw_partition") == partition) & (ordinal >= first) & (ordinal <= last)
        if self._groups is None:
            return [Numbered(one.ordinal, one) for one in read_deliveries(self._dataset, here)]
        wanted = here & pds.field("group").isin(list(self._groups))
        by_ordinal = {one.ordinal: one for one in read_deliveries(self._dataset, wanted)}
        numbers = self._dataset.to_table(columns=["ordinal"], filter=here).column(0).to_pylist()
        return [Numbered(number, by_ordinal.get(number)) for number in sorted(numbers)]


def read_deliveries(dataset: pds.Dataset, wanted: Any) -> list[Delivery]:
    """The rows of the table `deliveries` that an expression of Arrow asks for, by ordinal."""
    import pyarrow as pa

    names = COLUMNS
    table = dataset.to_table(columns=list(names), filter=wanted)
    columns = [
        (column.cast(pa.int64()) if name in _INSTANTS else column).to_pylist()
        for name, column in zip(names, table.columns, strict=True)
    ]
    found = [
        delivery_of_row(dict(zip(names, row, strict=True))) for row in zip(*columns, strict=True)
    ]
    found.sort(key=lambda one: one.ordinal)
    return found
