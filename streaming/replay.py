"""The log once more, without Spark's queries: raw partition after raw partition through the shards.

The same shards on the same log give the same records, whatever the batches: so what this gives is
what the tables must have. One partition at a time and in pieces, so that memory stays bounded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import closing
from typing import NamedTuple

from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.outputs import Records
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState
from sinks.protocol_client import ProtocolClient
from sinks.raw_log import RawLog
from sinks.records import Counters
from sinks.settings import KafkaSettings
from sinks.shards import Place
from sinks.tables import DELIVERIES, MEMBERSHIP, QUARANTINE, WAITS, Table
from streaming.errors import CheckpointError


class Replayed(NamedTuple):
    """Records for one table."""

    table: Table
    records: Records


def replay(
    kafka: KafkaSettings, *, policies: GroupPolicies, counters: Mapping[int, Counters]
) -> Iterator[Replayed]:
    """Order again what the job has ordered: each shard up to where its counters say it is."""
    shards = kafka.shards
    with closing(ProtocolClient(kafka)) as client:
        for number in range(shards.number_of_shards):
            end = counters.get(number, Counters(number)).through_offset + 1
            yield from _replay_shard(
                RawLog(client), shards.place(number), number, policies=policies, end=end
            )


def _replay_shard(
    log: RawLog, place: Place, number: int, *, policies: GroupPolicies, end: int
) -> Iterator[Replayed]:
    if end and log.first_offset(place) > 0:
        raise CheckpointError(
            f"partition {place.partition} of {place.topic} no longer has its first records: "
            "what has expired cannot be replayed, so the tables cannot be rebuilt from it"
        )
    state = ShardState(number)
    for piece in log.pieces(place, start=0, end=end):
        shard = Shard(
            state,
            policies=policies,
            partitions=place.partitions,
            raw_partition=place.partition,
        )
        shard.receive(RawRows(*piece))
        state = shard.finish()
        outputs = shard.outputs
        yield Replayed(DELIVERIES, outputs.ordered)
        yield Replayed(QUARANTINE, outputs.quarantine)
        yield Replayed(WAITS, outputs.waits)
        yield Replayed(MEMBERSHIP, outputs.membership)
