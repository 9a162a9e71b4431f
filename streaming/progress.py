"""What Spark reports of a query's batch, as far as it is read here.

Sources say where a batch began and ended in the same form, as text or opened; records are counted
by that, since a row of the ordering query's source stands for many.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from streaming.stretches import Offsets


def offsets_of(progress: Mapping[str, Any]) -> tuple[Offsets | None, Offsets | None]:
    """Where the batch began and ended; None for the beginning of a query's very first batch."""
    (source,) = progress["sources"]
    start, end = (_opened(source[name]) for name in ("startOffset", "endOffset"))
    return start, end


def records_between(maybe_start: Offsets | None, maybe_end: Offsets | None) -> int:
    """How many offsets lie between; from the beginning of the log on if nothing says where."""
    start = maybe_start or {}
    return sum(
        offset - start.get(topic, {}).get(partition, 0)
        for topic, each in (maybe_end or {}).items()
        for partition, offset in each.items()
    )


def _opened(told: Any) -> Any:
    return json.loads(told) if isinstance(told, str) else told
