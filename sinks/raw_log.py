"""Stretches of a raw topic, from one offset to another, with the times that stand on the records.

For whoever orders the log: the job's workers, which are told what to read, and those who order it
once more without Spark. The times are the broker's, in microseconds.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Final

from sinks.errors import DestinationError
from sinks.protocol_client import PATIENCE_SECONDS, Partition, ProtocolClient
from sinks.record_batches import RawPiece, WholePiece, read_batches
from sinks.shards import Place

PIECE_BYTES: Final = 48 << 20
"""Of values: some 300,000 small messages in one piece, and a day's bundles in many. Each piece
opens all of its groups anew, so with many groups small ones cost a quarter more."""


class RawLog:
    """The raw topics, read through a client; not for several threads."""

    def __init__(self, client: ProtocolClient) -> None:
        self._client = client

    def first_offset(self, place: Place) -> int:
        """The oldest offset that the partition still has."""
        here = Partition(place.topic, place.partition)
        return self._client.first_offsets((here,))[here]

    def pieces(self, place: Place, *, start: int, end: int) -> Iterator[RawPiece]:
        """The records from one offset to before another, in pieces of some `PIECE_BYTES`.

        Raises `DestinationError` if the broker does not give them.
        """
        at = start
        while at < end:
            piece, size = RawPiece([], [], []), 0
            while at < end and size < PIECE_BYTES:
                known = len(piece.values)
                at = self._read_on(place, piece, at, end)
                size += sum(map(len, piece.values[known:]))
            if piece.offsets:
                yield piece

    def whole_pieces(self, place: Place, *, start: int, end: int) -> Iterator[WholePiece]:
        """The same with all that records of our topics have; a piece is an answer of the broker."""
        at = start
        while at < end:
            piece = WholePiece([], [], [])
            at = self._read_on(place, piece, at, end)
            yield piece

    def _read_on(self, place: Place, piece: RawPiece | WholePiece, start: int, end: int) -> int:
        """Add what one answer of the broker brings; gives the offset behind it."""
        here = Partition(place.topic, place.partition)
        deadline = time.monotonic() + PATIENCE_SECONDS
        while True:
            try:
                fetched = self._client.fetch(here, start)
            except LookupError as error:
                raise no_such_offset(here, start) from error
            behind = read_batches(fetched, piece, start=start, end=end)
            if behind > start:
                return behind
            if time.monotonic() > deadline:
                raise DestinationError(
                    f"partition {here.partition} of {here.topic} gives nothing from offset "
                    f"{start} on: does the broker still answer?"
                )


def no_such_offset(partition: Partition, offset: int) -> DestinationError:
    """The error for records that are gone, or never were."""
    return DestinationError(
        f"partition {partition.partition} of {partition.topic} has no offset {offset}: was the "
        "raw topic deleted and made anew, or has it expired before it was read?"
    )
