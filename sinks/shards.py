"""Shards: the partitions of all raw topics, counted through.

A job may read several raw topics, such as one for each site. Each of their partitions is a shard
with its own state and its own sequence of ordinals, and shard n writes into partition n of every
topic that the job writes::

    kafka.raw_topics = ["north.raw=4", "south.raw=2"]

    north.raw   0 1 2 3      south.raw   0 1
    shard       0 1 2 3                  4 5        ordered: six partitions

`raw_partition` in records and tables is the number of the shard; with one raw topic that is its
partition. A topic may be added at the end of the list later, and never be moved or taken away: the
numbers stand in what was written.

A group lives in one partition of one topic. The same name in two topics is two groups, each with
its own positions from 1 on. What a shard gives is a function of its own log alone, so the job can't
know; `precede verify`, which sees all logs, counts it as duplicated and names the group.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

TOPIC_PATTERN = r"[A-Za-z0-9._-]{1,249}"
RAW_TOPIC_PATTERN = rf"{TOPIC_PATTERN}=[1-9]\d{{0,3}}"
RAW_TOPIC_FORM = "TOPIC=PARTITIONS, such as north.raw=4"


class Place(NamedTuple):
    """One partition of one raw topic."""

    topic: str
    partition: int
    partitions: int
    """how many the topic has"""


class Shards(NamedTuple):
    """The raw topics of a job with their partitions, in their order."""

    raw: tuple[tuple[str, int], ...]

    @classmethod
    def of(cls, topics: Mapping[str, int]) -> Shards:
        """The shards of topics with so many partitions each."""
        return cls(tuple(topics.items()))

    @property
    def topics(self) -> dict[str, int]:
        """The partitions of each topic."""
        return dict(self.raw)

    @property
    def number_of_shards(self) -> int:
        """The partitions of all raw topics, and of every topic that the job writes."""
        return sum(count for _, count in self.raw)

    def place(self, shard: int) -> Place:
        """Where a shard's records come from."""
        first = 0
        for topic, partitions in self.raw:
            if first <= shard < first + partitions:
                return Place(topic, shard - first, partitions)
            first += partitions
        raise IndexError(f"there are {first} shards, and none has the number {shard}")

    def number(self, topic: str, partition: int) -> int:
        """The shard of a raw record."""
        return self.firsts()[topic] + partition

    def firsts(self) -> dict[str, int]:
        """For each topic the shard of its partition 0."""
        firsts: dict[str, int] = {}
        first = 0
        for topic, partitions in self.raw:
            firsts[topic] = first
            first += partitions
        return firsts


def parse_raw_topics(texts: tuple[str, ...]) -> dict[str, int]:
    """Read TOPIC=PARTITIONS; ValueError for a text that is none, or a topic that comes twice."""
    topics: dict[str, int] = {}
    for text in texts:
        name, mark, number = text.rpartition("=")
        if not mark or not number.isdecimal() or not int(number):
            raise ValueError(f"{text!r} is no raw topic; write {RAW_TOPIC_FORM}")
        if name in topics:
            raise ValueError(f"raw_topics names {name} twice; name each topic once")
        topics[name] = int(number)
    return topics
