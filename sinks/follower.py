"""A follower: the job's own deliveries, milliseconds after a message is in the raw topic.

What is delivered, where and in which order is a function of the log. So whoever runs the same shard
code over the same log has the same records, byte for byte, ordinals and positions and all, and need
not wait for the job's batches. A follower is such a reader: it writes nothing and promises nothing
to anyone but its own program; tables and topics stay the job's.

    follower = Follower(kafka, policies=group_policies(settings), states=read_states(folder))
    while True:
        for record in follower.read(timeout=0.1):
            ...                                  # record.value is what the ordered topic has

It begins where `states` were taken: the job's, exported (`streaming.state_export`), or its own of
an earlier run (`follower.states()`); without one, at the beginning of the log. The policies must be
the job's, or the result is another one.

All groups of the log are in its memory, those touched last as engines, the others as bytes.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from ordering_udfs.warm_shards import MOST_ENGINES
from sinks.errors import DestinationError
from sinks.kafka_client import (
    RECORDS_PER_POLL,
    TopicRecord,
    open_reader,
    raw_shards,
    record_of,
    watermarks,
)
from sinks.settings import KafkaSettings

_NO_STATES: Mapping[int, bytes] = {}


class Followed(NamedTuple):
    """One delivery: the record as it stands, or will stand, in the ordered topic."""

    partition: int
    key: bytes
    value: bytes


class Follower:
    """Runs the job's shards over the raw topics, for one reading program. Not for several threads.

    Close it, or use it in a `with` statement.
    """

    def __init__(
        self,
        kafka: KafkaSettings,
        *,
        policies: GroupPolicies,
        states: Mapping[int, bytes] = _NO_STATES,
    ) -> None:
        self._kafka = kafka
        self._policies = policies
        self._client = open_reader(kafka)
        try:
            raw = raw_shards(kafka)
            self._places = {number: raw.place(number) for number in range(raw.number_of_shards)}
            self._numbers = {place[:2]: number for number, place in self._places.items()}
            self._shards = {
                number: self._shard(
                    decode_state(states[number]) if number in states else ShardState(number)
                )
                for number in self._places
            }
            self._start()
        except BaseException:
            self._client.close()
            raise

    def __enter__(self) -> Follower:
        return self

    def __exit__(self, *_failure: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave the broker; what was read and not asked for as `states` is forgotten."""
        self._client.close()

    def read(self, *, timeout: float) -> list[Followed]:
        """Give what has been delivered by what has come, after at most `timeout` seconds.

        Within a partition in the order of the ordinals. Perhaps nothing: nothing came, or all that
        came is held. Raises `DestinationError` if the topic cannot be read any more.
        """
        batches: dict[int, list[TopicRecord]] = {}
        for message in self._client.consume(RECORDS_PER_POLL, timeout=timeout):
            maybe_error = message.error()
            if maybe_error is None:
                record = record_of(message)
                number = self._numbers[str(message.topic()), record.partition]
                batches.setdefault(number, []).append(record)
            elif maybe_error.fatal() or not maybe_error.retriable():
                raise DestinationError(
                    f"{message.topic()} at {self._kafka.bootstrap} cannot be followed any more: "
                    f"{maybe_error.str()}"
                )
        return [one for number, batch in batches.items() for one in self._order(number, batch)]

    def states(self) -> dict[int, bytes]:
        """Give where it stands: the same bytes, partition by partition, as the job would keep."""
        return {number: encode_state(shard.finish()) for number, shard in self._shards.items()}

    def _order(self, number: int, batch: list[TopicRecord]) -> list[Followed]:
        shard = self._shards[number]
        shard.receive(
            RawRows(
                [record.offset for record in batch],
                [record.written_at for record in batch],
                [record.value for record in batch],
            )
        )
        ordered = shard.outputs.ordered
        followed = [
            Followed(number, key, value)
            for key, value in zip(ordered.keys, ordered.values, strict=True)
        ]
        shard.outputs.clear()
        if len(shard.engines) > MOST_ENGINES:
            self._shards[number] = self._shard(shard.finish())
        return followed

    def _shard(self, state: ShardState) -> Shard:
        place = self._places[state.partition]
        return Shard(
            state,
            policies=self._policies,
            partitions=place.partitions,
            raw_partition=place.partition,
        )

    def _start(self) -> None:
        """Begin behind what each shard has seen; refuse if the log no longer has it."""
        from confluent_kafka import TopicPartition

        starts = []
        for number, shard in self._shards.items():
            topic, partition, _ = self._places[number]
            low, _ = watermarks(self._client, self._kafka, topic, partition)
            start = shard.state.through_offset + 1
            if start < low:
                raise DestinationError(
                    f"{topic} begins at offset {low} in partition {partition}, and the state that "
                    f"was given ends before {start}: export the job's state anew"
                )
            starts.append(TopicPartition(topic, partition, start))
        self._client.assign(starts)
