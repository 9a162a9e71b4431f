"""The broker as a worker of the job sees it: it reads a stretch of the raw log and writes records.

Travels to the workers with the ordering function, so it holds settings alone. The connection is the
process's: opened at the first use, kept for the batches that follow, closed after an error, so that
what tries again begins anew.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import NamedTuple

from sinks.batch_writing import Column
from sinks.protocol_client import ProtocolClient
from sinks.raw_log import RawLog
from sinks.record_batches import RawPiece, WholePiece
from sinks.settings import KafkaSettings
from sinks.shards import Place
from sinks.topic_writer import TopicWriter

_open: dict[KafkaSettings, ProtocolClient] = {}
"""The one of this process, if there is any: a worker serves one job at a time."""


class WorkerBroker(NamedTuple):
    """What the ordering function reads from and writes to."""

    kafka: KafkaSettings

    def read(self, place: Place, *, start: int, end: int) -> Iterator[RawPiece]:
        """The raw records from one offset to before another, piece by piece."""
        with self._client() as client:
            yield from RawLog(client).pieces(place, start=start, end=end)

    def read_whole(self, place: Place, *, start: int, end: int) -> Iterator[WholePiece]:
        """The records of any topic from one offset to before another, piece by piece."""
        with self._client() as client:
            yield from RawLog(client).whole_pieces(place, start=start, end=end)

    def write(
        self,
        topic: str,
        partition: int,
        keys: Sequence[bytes],
        values: Column,
        headers: Column | None = None,
    ) -> None:
        """Write records into one partition of a topic, and wait until they are acknowledged."""
        with self._client() as client:
            TopicWriter(client).write(topic, partition, keys, values, headers)

    @contextmanager
    def _client(self) -> Iterator[ProtocolClient]:
        if self.kafka not in _open:
            while _open:
                _open.popitem()[1].close()
            _open[self.kafka] = ProtocolClient(self.kafka)
        client = _open[self.kafka]
        try:
            yield client
        except BaseException:
            if _open.get(self.kafka) is client:
                del _open[self.kafka]
            client.close()
            raise
