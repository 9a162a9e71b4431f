"""A broker in memory, for tests of the function that Spark calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from ordering_udfs.raw_rows import RawRows
from sinks.arrow_bytes import large
from sinks.batch_writing import Column
from sinks.errors import DestinationError
from sinks.settings import KafkaSettings
from sinks.shards import Place
from tests.ordering_udfs.shards import RawRow, columns


class Written(NamedTuple):
    """One record of a topic, with its headers as the record ends with them."""

    partition: int
    key: bytes
    value: bytes
    maybe_headers: bytes | None


class ListedBroker:
    """Gives the records of one raw log, whatever its place, and keeps what is written."""

    def __init__(self, log: Sequence[RawRow], *, piece_records: int = 1_000) -> None:
        self.log = log
        self.kafka = KafkaSettings()
        self.piece_records = piece_records
        self.asked: list[Place] = []
        self.topics: dict[str, list[Written]] = {}
        self.maybe_refused: str | None = None
        """the topic that takes half of what it is given, and then fails"""

    def read(self, place: Place, *, start: int, end: int) -> Iterator[RawRows]:
        self.asked.append(place)
        rows = [row for row in self.log if start <= row.offset < end]
        for at in range(0, len(rows), self.piece_records):
            yield columns(rows[at : at + self.piece_records])

    def write(
        self,
        topic: str,
        partition: int,
        keys: Sequence[bytes],
        values: Column,
        headers: Column | None = None,
    ) -> None:
        blocks = [None] * len(keys) if headers is None else large(headers).to_pylist()
        written = zip(keys, large(values).to_pylist(), blocks, strict=True)
        records = [Written(partition, *one) for one in written]
        is_refused = topic == self.maybe_refused
        if records:
            taken = records[: len(records) // 2] if is_refused else records
            self.topics.setdefault(topic, []).extend(taken)
        if is_refused:
            raise DestinationError("planted")

    def values(self) -> dict[str, list[bytes]]:
        """What is in each topic."""
        return {topic: [one.value for one in written] for topic, written in self.topics.items()}


def headers_of(block: bytes) -> dict[str, bytes]:
    """Read the headers of one record as Kafka's documentation has them."""
    at = 0

    def number() -> int:
        nonlocal at
        found = shift = 0
        while True:
            byte = block[at]
            at += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found >> 1

    def parts() -> Iterator[bytes]:
        nonlocal at
        for _ in range(2 * count):
            length = number()
            yield block[at : at + length]
            at += length

    count = number()
    found = list(parts())
    assert at == len(block)
    return {name.decode(): value for name, value in zip(found[::2], found[1::2], strict=True)}
