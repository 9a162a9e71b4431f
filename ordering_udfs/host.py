"""Spark's side of a shard: frames in, frames out, state in one binary column.

`applyInPandasWithState` calls the function that `ordering_function` makes, in a Python worker, once
per raw partition and batch. A row of its output is a chunk of records for one topic, in list
columns that the plan opens in the JVM: a row for each message would cost half the rate.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from typing import TYPE_CHECKING, Any

from ordering_udfs.collector import held_back, put_aside, search
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Outputs, Records
from ordering_udfs.poison import NOT_POISON, order_carefully
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from ordering_udfs.warm_shards import WarmShards
from sinks.cloud_events import OrderedFormat, source_of
from sinks.event_columns import SENT, STEM, Column, event_columns
from sinks.records import Counters, encode_counters
from sinks.shards import Shards
from sinks.topics import Topics

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql.streaming.state import GroupState

INPUT_COLUMNS = ("partition", "offset", "captured_at", "value")
OUTPUT_SCHEMA = "topic string, partition int, keys array<binary>, values array<binary>"
CLOUD_EVENTS_SCHEMA = ", ".join(
    (OUTPUT_SCHEMA, f"{STEM} binary", *(f"{name} array<binary>" for name in SENT))
)
"""The same with the columns of `sinks.event_columns`; empty for the topics without headers."""
STATE_SCHEMA = "state binary"

# A chunk is one row between Python and the JVM. Bounded so that a healed gap that frees very many
# messages never makes one huge row.
MAXIMUM_CHUNK_RECORDS = 5_000
MAXIMUM_CHUNK_BYTES = 8 << 20

# One for the worker process, which serves many batches.
_warm_shards = WarmShards()

OrderingFunction = Callable[
    [tuple[Any, ...], "Iterable[pd.DataFrame]", "GroupState"], "Iterator[pd.DataFrame]"
]


def ordering_function(
    *,
    policies: GroupPolicies,
    shards: Shards,
    topics: Topics,
    ordered_format: OrderedFormat = OrderedFormat.ENVELOPE,
) -> OrderingFunction:
    """The function for `applyInPandasWithState`; all that it needs travels with it."""
    return partial(_order, policies, shards, topics, ordered_format)


def _order(
    policies: GroupPolicies,
    shards: Shards,
    topics: Topics,
    ordered_format: OrderedFormat,
    _key: tuple[Any, ...],
    frames: Iterable[pd.DataFrame],
    state: GroupState,
) -> Iterator[pd.DataFrame]:
    """Order what one batch brings of one raw partition.

    A function of this module, not one made in another: that would travel to the workers by value
    with every batch, and a copy of the warm shards with it.
    """
    with held_back():
        partition, rows = _collect(frames)
        search()
        place = shards.place(partition)
        name = (policies, shards, topics, partition)
        before = state.get[0] if state.exists else encode_state(ShardState(partition))
        make_shard = partial(
            Shard,
            policies=policies,
            partitions=place.partitions,
            raw_partition=place.partition,
        )
        saved, engines = _warm_shards.take(name, before)
        shard = make_shard(saved, engines=engines)
        try:
            shard.receive(rows)
            after = encode_state(shard.finish())
        except NOT_POISON:
            raise
        except Exception:
            after, shard = order_carefully(before, rows, make_shard=make_shard)
        state.update((after,))
        _warm_shards.keep(name, after, state=shard.state, engines=shard.engines)
        counters, outputs = shard.counters(state_bytes=len(after)), shard.outputs
        del rows, before, saved, engines, shard
        put_aside()
        frame = _frame(topics, counters, outputs)
        if ordered_format is OrderedFormat.CLOUDEVENTS:
            frame = _with_headers(frame, topics, raw_topic=place.topic)
        del outputs
        yield frame
        del frame


def _frame(topics: Topics, counters: Counters, outputs: Outputs) -> pd.DataFrame:
    """All that goes out, a row for each chunk. One frame: each costs as much as many messages."""
    import pandas as pd

    told = Records()
    told.add(str(counters.partition).encode(), encode_counters(counters))
    rows = [
        (topic, counters.partition, *chunk)
        for topic, records in (
            (topics.ordered, outputs.ordered),
            (topics.quarantine, outputs.quarantine),
            (topics.waits, outputs.waits),
            (topics.gaps, outputs.gaps),
            (topics.membership, outputs.membership),
            (topics.counters, told),
        )
        for chunk in chunks(records)
    ]
    names = ("topic", "partition", "keys", "values")
    return pd.DataFrame(dict(zip(names, zip(*rows, strict=True), strict=True)))


def _with_headers(frame: pd.DataFrame, topics: Topics, *, raw_topic: str) -> pd.DataFrame:
    """Write the ordered records as cloud events; the records of other topics have no headers."""
    columns: dict[str, list[Column]] = {name: [] for name in ("values", *SENT)}
    for topic, keys, records in zip(frame["topic"], frame["keys"], frame["values"], strict=True):
        given: dict[str, Column] = {"values": records, **dict.fromkeys(SENT, ())}
        if topic == topics.ordered:
            given["values"], headers = event_columns(keys, records, raw_topic=raw_topic)
            given |= headers
        for name, column in given.items():
            columns[name].append(column)
    return frame.assign(**{STEM: source_of(raw_topic, b"")}, **columns)


def _collect(frames: Iterable[pd.DataFrame]) -> tuple[int, RawRows]:
    """All rows of this partition in this batch; `max_messages_per_batch` bounds them."""
    partition = -1
    offsets: list[int] = []
    times: list[int] = []
    values: list[bytes] = []
    for frame in frames:
        if not len(frame):
            continue
        partition = int(frame["partition"].iloc[0])
        offsets += frame["offset"].tolist()
        times += frame["captured_at"].tolist()
        values += frame["value"].tolist()
    if None in values:
        values = [b"" if value is None else value for value in values]
    return partition, RawRows(offsets, times, values)


def chunks(records: Records) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Cut records into pieces of keys and values within both bounds; none is empty."""
    for start in range(0, len(records.keys), MAXIMUM_CHUNK_RECORDS):
        end = start + MAXIMUM_CHUNK_RECORDS
        yield from _halved(records.keys[start:end], records.values[start:end])


def _halved(keys: list[bytes], values: list[bytes]) -> Iterator[tuple[list[bytes], list[bytes]]]:
    """Give a piece whole, or in halves until each is small enough or a single record."""
    piece_bytes = sum(map(len, keys)) + sum(map(len, values))
    if piece_bytes <= MAXIMUM_CHUNK_BYTES or len(keys) == 1:
        yield keys, values
        return
    middle = len(keys) // 2
    yield from _halved(keys[:middle], values[:middle])
    yield from _halved(keys[middle:], values[middle:])
