"""Spark's side of a shard: which stretch of the log to order next, and the state in one column.

`applyInPandasWithState` calls the function that `ordering_function` makes, in a Python worker, once
per raw partition and batch. What it brings is not the records but where they lie: the worker reads
them from the log itself, and writes what they come to into the topics itself. Every record would
else go through the JVM twice, which costs more than to order it. It does so piece by piece, so that
its memory is bounded however much a batch has.

A call ends when all that it wrote is acknowledged. Only then does Spark keep the state, so a batch
that fails anywhere is done again from the state before it, and comes to the same records.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from ordering_udfs.collector import held_back, put_aside, search
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Outputs
from ordering_udfs.poison import Done, MakeShard, PoisonError, order_carefully, poison_named
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from ordering_udfs.warm_shards import WarmShards
from sinks.batch_writing import Column
from sinks.cloud_events import OrderedFormat
from sinks.event_columns import cloud_events
from sinks.records import Counters, encode_counters
from sinks.shards import Place, Shards
from sinks.topics import Topics

if TYPE_CHECKING:
    import pandas as pd
    from pyspark.sql.streaming.state import GroupState

INPUT_COLUMNS = ("partition", "begin", "end")
"""The shard's number, and the offsets of its next records: from `begin` to before `end`."""
OUTPUT_SCHEMA = "partition int, through_offset long"
"""How far a shard came: Spark wants a row for what it counts."""
STATE_SCHEMA = "state binary"

# One for the worker process, which serves many batches.
_warm_shards = WarmShards()

OrderingFunction = Callable[
    [tuple[Any, ...], "Iterable[pd.DataFrame]", "GroupState"], "Iterator[pd.DataFrame]"
]


class Broker(Protocol):
    """Where the log is and the records go: `sinks.worker_broker`, or a test's lists."""

    def read(self, place: Place, *, start: int, end: int) -> Iterable[Sequence[Any]]:
        """The columns of `RawRows` from one offset to before another, in pieces of bounded size."""

    def write(
        self,
        topic: str,
        partition: int,
        keys: Sequence[bytes],
        values: Column,
        headers: Column | None = None,
    ) -> None:
        """Write records into one partition of a topic, and wait until they are acknowledged."""


def ordering_function(
    *,
    policies: GroupPolicies,
    shards: Shards,
    topics: Topics,
    broker: Broker,
    ordered_format: OrderedFormat = OrderedFormat.ENVELOPE,
) -> OrderingFunction:
    """The function for `applyInPandasWithState`; all that it needs travels with it."""
    return partial(_order, policies, shards, topics, broker, ordered_format)


def _order(
    policies: GroupPolicies,
    shards: Shards,
    topics: Topics,
    broker: Broker,
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
        partition, begin, end = _stretch(frames)
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
        raw_topic = place.topic if ordered_format is OrderedFormat.CLOUDEVENTS else None
        read = partial(broker.read, place, start=begin, end=end)
        give = partial(_give, broker, topics, partition, maybe_events_of=raw_topic)
        saved, engines = _warm_shards.take(name, before)
        try:
            after, shard = _order_pieces(make_shard(saved, engines=engines), read(), give=give)
        except PoisonError:
            after, shard = _order_carefully(before, read(), make_shard=make_shard, give=give)
        counters = shard.counters(state_bytes=len(after))
        broker.write(
            topics.counters, partition, [str(partition).encode()], [encode_counters(counters)]
        )
        state.update((after,))
        _warm_shards.keep(name, after, state=shard.state, engines=shard.engines)
        del before, saved, engines, shard, read, give
        put_aside()
        yield _how_far(counters)


def _order_pieces(
    shard: Shard, pieces: Iterable[Sequence[Any]], *, give: Callable[[Outputs], None]
) -> Done:
    """Order piece after piece, and give what each came to before the next is read.

    Raises `PoisonError` if the shard fails; what was given before will be given again, the same.
    """
    for piece in pieces:
        with poison_named():
            shard.receive(RawRows(*piece))
        give(shard.outputs)
    with poison_named():
        return Done(encode_state(shard.finish()), shard)


def _order_carefully(
    before: bytes,
    pieces: Iterable[Sequence[Any]],
    *,
    make_shard: MakeShard,
    give: Callable[[Outputs], None],
) -> Done:
    """The same for a batch in which something is poison."""
    done = Done(before, make_shard(decode_state(before)))
    for piece in pieces:
        done = order_carefully(done.encoded, RawRows(*piece), make_shard=make_shard)
        give(done.shard.outputs)
    return done


def _stretch(frames: Iterable[pd.DataFrame]) -> tuple[int, int, int]:
    """The shard, and the offsets that it is to order; several rows follow one another."""
    rows = sorted(
        row for frame in frames for row in frame[list(INPUT_COLUMNS)].itertuples(index=False)
    )
    partition, begin, _ = rows[0]
    return int(partition), int(begin), int(rows[-1][2])


def _give(
    broker: Broker,
    topics: Topics,
    partition: int,
    outputs: Outputs,
    *,
    maybe_events_of: str | None,
) -> None:
    """Write what a piece came to, and forget it.

    The ordered records are cloud events if the raw topic is named whose events they are.
    """
    ordered = outputs.ordered
    events: tuple[Column, Column | None] = (ordered.values, None)
    if maybe_events_of is not None and ordered.keys:
        events = cloud_events(ordered.keys, ordered.values, raw_topic=maybe_events_of)
    broker.write(topics.ordered, partition, ordered.keys, *events)
    for topic, records in (
        (topics.quarantine, outputs.quarantine),
        (topics.waits, outputs.waits),
        (topics.gaps, outputs.gaps),
        (topics.membership, outputs.membership),
    ):
        broker.write(topic, partition, records.keys, records.values)
    outputs.clear()


def _how_far(counters: Counters) -> pd.DataFrame:
    import pandas as pd

    return pd.DataFrame(
        {"partition": [counters.partition], "through_offset": [counters.through_offset]}
    )
