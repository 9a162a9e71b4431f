"""A real Delta table of deliveries without Spark, for tests of those who read it."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import pyarrow as pa
from deltalake import write_deltalake

from ingest.wire.envelope import decode
from sinks.decoding import PROBLEM, arrow_schema, delivery_row
from sinks.records import MarkBits, OrderedRecord, Origin, encode_ordered
from sinks.tables import DELIVERIES


def write_deliveries(directory: Path, envelopes: Iterable[bytes], *, first: int = 1) -> None:
    """Append envelopes as the history query would; positions count on per group from `first`."""
    positions: dict[str, int] = {}
    rows = []
    for ordinal, envelope in enumerate(envelopes, start=1):
        group = decode(envelope).group
        positions[group] = positions.get(group, first - 1) + 1
        record = OrderedRecord(
            ordinal, positions[group], 0, Origin(ordinal, 0, 0), MarkBits.NONE, envelope
        )
        rows.append(delivery_row(b"", encode_ordered(record)))
    schema = arrow_schema(DELIVERIES)
    schema = schema.remove(schema.get_field_index(PROBLEM))
    table = pa.Table.from_pylist(rows, schema=schema)
    write_deltalake(DELIVERIES.path(str(directory)), table, mode="append")
