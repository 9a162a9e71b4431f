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


class Stretch(NamedTuple):
    """The records of one partition from the offset `begin` to before `end`."""

    topic: str
    partition: int
    begin: int
    end: int


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
    messages gives twice as many.
    """
    waiting = {one: (end - start[one]) * per_record.get(one, 1) for one, end in ends.items()}
    total = sum(waiting.values())
    if total <= messages:
        return dict(ends)
    share = messages / total
    return {
        one: min(end, start[one] + max(AT_LEAST, int((end - start[one]) * share)))
        if end > start[one]
        else end
        for one, end in ends.items()
    }
