"""Which stretch of each partition is read next: pure, from one set of offsets to another.

Offsets are as Spark keeps them for its own Kafka source, topic by topic and partition by partition,
so that a checkpoint of an earlier release goes on here::

    {"precede.raw": {"0": 1200, "1": 1187}}          the next record of each partition

A batch has a bound in messages, and what is counted here are records: `per_record` says how many
messages the next record of each partition has.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NamedTuple, TypeAlias

from sinks.protocol_client import Partition

Offsets: TypeAlias = dict[str, dict[str, int]]
AT_LEAST: Final = 1
"""Records of a partition in which something waits, however small the bound."""
UNEVEN: Final = 0.06
"""By how much the last partition of a bounded batch gives more than the first."""


class Stretch(NamedTuple):
    """The records of one partition from the offset `begin` to before `end`."""

    topic: str
    partition: int
    begin: int
    end: int

    @property
    def place(self) -> Partition:
        """Where it lies."""
        return Partition(self.topic, self.partition)


def as_offsets(found: Mapping[Partition, int]) -> Offsets:
    """What Spark keeps."""
    offsets: Offsets = {}
    for (topic, partition), offset in sorted(found.items()):
        offsets.setdefault(topic, {})[str(partition)] = offset
    return offsets


def as_partitions(offsets: Mapping[str, Mapping[str, Any]]) -> dict[Partition, int]:
    """The reverse of `as_offsets`."""
    return {
        Partition(topic, int(partition)): int(offset)
        for topic, each in offsets.items()
        for partition, offset in each.items()
    }


def stretches(start: Mapping[Partition, int], end: Mapping[Partition, int]) -> list[Stretch]:
    """What lies between, partition by partition; nothing of those that have nothing new."""
    found = [
        Stretch(*one, start[one], behind) for one, behind in end.items() if start[one] < behind
    ]
    return sorted(found)


def next_ends(
    start: Mapping[Partition, int],
    ends: Mapping[Partition, int],
    *,
    messages: int,
    per_record: Mapping[Partition, float],
) -> dict[Partition, int]:
    """Where the next batch ends, if it may have so many messages.

    What waits in all partitions shares the bound as it waits: a partition with twice as many
    messages gives twice as many. But a little less of the first partition, and a little more of the
    last: Spark hands idle workers out in the order in which they came back, so when tasks end in
    their order, each shard finds the worker that has its groups at hand.
    """
    waiting = {one: (end - start[one]) * per_record.get(one, 1) for one, end in ends.items()}
    if sum(waiting.values()) <= messages:
        return dict(ends)
    steps = _staircase([one for one in sorted(ends) if waiting[one]])
    share = messages / sum(waiting[one] * step for one, step in steps.items())
    return {
        one: min(end, start[one] + max(AT_LEAST, int((end - start[one]) * steps[one] * share)))
        if one in steps
        else end
        for one, end in ends.items()
    }


def _staircase(partitions: list[Partition]) -> dict[Partition, float]:
    """For each partition how much more or less it gives than its share, evenly from below 1 to
    above.
    """
    last = max(1, len(partitions) - 1)
    return {
        one: 1 + UNEVEN * (number / last - 0.5) if len(partitions) > 1 else 1.0
        for number, one in enumerate(partitions)
    }
