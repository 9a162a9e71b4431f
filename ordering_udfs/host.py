"""Spark's side of a shard: frames in, frames out, state in one binary column.

`applyInPandasWithState` calls the function that `ordering_function` makes, in a Python worker, once
per raw partition and batch. A row of its output is a chunk of records for one topic, in list
columns that the plan opens in the JVM: a row for each message would cost half the rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from ordering.policy import GroupPolicy
from ordering_udfs.shard import KeyedRecord, RawRow, Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from sinks.records import encode_counters
from sinks.topics import Topics

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql.streaming.state import GroupState

INPUT_COLUMNS = ("partition", "offset", "captured_at", "value")
OUTPUT_SCHEMA = "topic string, partition int, keys array<binary>, values array<binary>"
STATE_SCHEMA = "state binary"

# A chunk is one row between Python and the JVM. Bounded so that a healed gap that frees very many
# messages never makes one huge row.
MAXIMUM_CHUNK_RECORDS = 5_000
MAXIMUM_CHUNK_BYTES = 8 << 20

OrderingFunction = Callable[
    [tuple[Any, ...], "Iterable[pd.DataFrame]", "GroupState"], "Iterator[pd.DataFrame]"
]


def ordering_function(*, policy: GroupPolicy, partitions: int, topics: Topics) -> OrderingFunction:
    """The function for `applyInPandasWithState`; all that it needs travels with it."""

    def order(
        _key: tuple[Any, ...], frames: Iterable[pd.DataFrame], state: GroupState
    ) -> Iterator[pd.DataFrame]:
        partition, rows = _collect(frames)
        saved = decode_state(state.get[0]) if state.exists else ShardState(partition=partition)
        shard = Shard(saved, policy=policy, partitions=partitions)
        shard.receive(rows)
        state.update((encode_state(shard.finish()),))
        yield from _frames(topics.ordered, partition, shard.ordered)
        yield from _frames(topics.quarantine, partition, shard.quarantine)
        counters = KeyedRecord(str(partition).encode(), encode_counters(shard.counters()))
        yield from _frames(topics.counters, partition, [counters])

    return order


def _collect(frames: Iterable[pd.DataFrame]) -> tuple[int, list[RawRow]]:
    """All rows of this partition in this batch; `max_offsets_per_trigger` bounds them."""
    partition = -1
    rows: list[RawRow] = []
    for frame in frames:
        if not len(frame):
            continue
        partition = int(frame["partition"].iloc[0])
        columns = (frame["offset"].tolist(), frame["captured_at"].tolist(), frame["value"].tolist())
        rows.extend(
            RawRow(offset, captured_at, bytes(value) if value is not None else b"")
            for offset, captured_at, value in zip(*columns, strict=True)
        )
    return partition, rows


def _frames(topic: str, partition: int, records: list[KeyedRecord]) -> Iterator[pd.DataFrame]:
    import pandas as pd

    for chunk in chunks(records):
        keys, values = zip(*chunk, strict=True)
        yield pd.DataFrame(
            {
                "topic": [topic],
                "partition": [partition],
                "keys": [list(keys)],
                "values": [list(values)],
            }
        )


def chunks(records: list[KeyedRecord]) -> Iterator[list[KeyedRecord]]:
    """Cut a list of records into pieces within both bounds; a piece has at least one record."""
    piece: list[KeyedRecord] = []
    piece_bytes = 0
    for record in records:
        record_bytes = len(record.key) + len(record.value)
        is_full = len(piece) == MAXIMUM_CHUNK_RECORDS or (
            piece_bytes + record_bytes > MAXIMUM_CHUNK_BYTES
        )
        if piece and is_full:
            yield piece
            piece, piece_bytes = [], 0
        piece.append(record)
        piece_bytes += record_bytes
    if piece:
        yield piece
