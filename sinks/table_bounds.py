"""What Delta keeps of each file of a table: how many rows it has, and the bounds of some columns.

A question passes over a file whose bounds say that no answer is in it. Bounds may be wider than the
rows, never narrower::

    group      position   captured_at             least      a   1   10:00:00.000
    a          1          10:00:00.000200    ->   greatest   b   7   10:00:00.001
    b          7          10:00:00.000900         missing    0   0   0
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    import pyarrow as pa

US_PER_MS: Final = 1_000
MS_PER_S: Final = 1_000
LAST_MS: Final = 253_402_300_799_999
"""The end of the year 9999: Delta writes no later one, a record may have one."""


class Bounds:
    """The bounds of the named columns, going on as rows are looked at."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self._rows = 0
        self._missing = dict.fromkeys(names, 0)
        self._least: dict[str, Any] = {}
        self._greatest: dict[str, Any] = {}
        self._instants: set[str] = set()

    def add(self, rows: pa.Table) -> None:
        """Look at more rows."""
        import pyarrow as pa
        import pyarrow.compute as pc

        self._rows += rows.num_rows
        for name in self._missing:
            column = rows.column(name)
            self._missing[name] += column.null_count
            if pa.types.is_timestamp(column.type):
                self._instants.add(name)
                column = column.cast(pa.int64())
            found = pc.min_max(column)
            least, greatest = found["min"].as_py(), found["max"].as_py()
            if least is not None:
                self._least[name] = min(least, self._least.get(name, least))
                self._greatest[name] = max(greatest, self._greatest.get(name, greatest))

    def as_json(self) -> str:
        """What was found, in Delta's words."""
        for name in self._instants & self._least.keys():
            # Delta's instants are of milliseconds.
            least = self._least.pop(name) // US_PER_MS
            greatest = -(-self._greatest.pop(name) // US_PER_MS)
            if least >= 0 and greatest <= LAST_MS:
                self._least[name] = _instant(least)
                self._greatest[name] = _instant(greatest)
        return json.dumps(
            {
                "numRecords": self._rows,
                "minValues": self._least,
                "maxValues": self._greatest,
                "nullCount": self._missing,
            }
        )


def _instant(ms: int) -> str:
    seconds, rest = divmod(ms, MS_PER_S)
    return f"{datetime.fromtimestamp(seconds, UTC):%Y-%m-%dT%H:%M:%S}.{rest:03}Z"
