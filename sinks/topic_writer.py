"""Write numbered records into partitions of topics, so that what is written has no gap.

The job's workers write through this. Readers drop what goes back in the numbers for a repeat, so a
record must never stand in front of one that was given earlier. That is simple to keep: a batch is
sent when the one before it is acknowledged, and what fails stops all behind it. What was written
before something failed is written again when the job's batch is tried again, the same bytes, and
readers drop it.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from itertools import islice

from sinks.batch_writing import Column, Records, write_batches
from sinks.errors import DestinationError
from sinks.protocol_client import MS_PER_SECOND, Partition, ProtocolClient, TooLargeError


class TopicWriter:
    """Writes through a client, for one program; not for several threads."""

    def __init__(self, client: ProtocolClient) -> None:
        self._client = client

    def write(
        self,
        topic: str,
        partition: int,
        keys: Sequence[bytes],
        values: Column,
        headers: Column | None = None,
    ) -> None:
        """Write records into one partition; when this returns, all of them are acknowledged.

        `headers` has a block for each record (`batch_writing.header_block`). Raises
        `DestinationError` if not all can be written.
        """
        self._write(Partition(topic, partition), Records(keys, values, headers))

    def _write(self, partition: Partition, records: Records) -> None:
        """Write batch after batch; while the broker is at work on one, the next one is written."""
        batches = write_batches(records, at_ms=int(time.time() * MS_PER_SECOND))
        upcoming = list(islice(batches, 1))
        while upcoming:
            batch = upcoming.pop()
            try:
                self._client.produce(
                    partition, batch.content, meanwhile=lambda: upcoming.extend(islice(batches, 1))
                )
            except TooLargeError:
                self._write_halves(partition, records.piece(batch.begin, batch.end))

    def _write_halves(self, partition: Partition, records: Records) -> None:
        """Write a batch as two, where a topic takes less than others."""
        count = len(records.keys)
        if count == 1:
            raise DestinationError(
                f"a record of {len(records.values[0])} bytes is larger than its topic takes "
                f"({partition.topic})"
            )
        self._write(partition, records.piece(0, count // 2))
        self._write(partition, records.piece(count // 2, count))
