"""What was delivered to a group, read from the table `deliveries` without Spark.

Three questions, for answers to members. Each streams over the table in bounded pieces, so that a
group of any size costs no more memory than the answer:

    index     (sender, seq, position) of every delivery of a group, in no order
    links     (position, id, parents) of those between two positions, in their order
    envelopes the captured bytes at some positions, in their order

What a question reads is the table as it was at the last `refresh`.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from ingest.wire.errors import WireError
from sinks.errors import DestinationError, RecordError
from sinks.identity import parse_id
from sinks.rebuilding import COLUMNS, envelope_bytes
from sinks.table_reader import dataset_of
from sinks.tables import DELIVERIES

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt
    import pyarrow as pa
    from deltalake import DeltaTable
    from pyarrow.dataset import Dataset

    from ordering.values import MessageId

log = logging.getLogger(__name__)

ROWS_AT_ONCE: Final = 65_536
"""Rows of small columns that are looked at together."""

PAYLOADS_AT_ONCE: Final = 256
"""Rows with payloads that are held together: at a mebibyte each, which is the most, 256 MiB."""


class IndexPart(NamedTuple):
    """Some deliveries of a group: three columns of the same length."""

    senders: list[str]
    """the distinct senders of this part"""
    codes: npt.NDArray[np.int64]
    """for each delivery its place in `senders`"""
    seqs: npt.NDArray[np.int64]
    positions: npt.NDArray[np.int64]


class Link(NamedTuple):
    """One delivery and what it answers."""

    position: int
    id: MessageId
    parents: tuple[MessageId, ...]


class History:
    """The table of one service. `refresh` before use, and again to see what came since."""

    def __init__(self, directory: str) -> None:
        self._path = DELIVERIES.path(directory)
        self._maybe_table: DeltaTable | None = None
        self._maybe_dataset: Dataset | None = None

    def refresh(self) -> None:
        """See the table as it is now. Raises `DestinationError` if there is none."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        try:
            if self._maybe_table is None:
                self._maybe_table = DeltaTable(self._path)
            else:
                version = self._maybe_table.version()
                self._maybe_table.update_incremental()
                if version == self._maybe_table.version() and self._maybe_dataset is not None:
                    return
            self._maybe_dataset = dataset_of(self._maybe_table, self._path)
        except (TableNotFoundError, FileNotFoundError) as error:
            raise DestinationError(f"there is no Delta table at {self._path} yet") from error
        except DeltaError as error:
            raise DestinationError(f"the table at {self._path} cannot be read: {error}") from error

    def index(self, group: str) -> Iterator[IndexPart]:
        """Every delivery of a group, in no order."""
        import pyarrow.compute as pc

        columns = ("sender", "seq", "position")
        condition = pc.field("group") == group
        for batch in self._batches(columns, condition, rows=ROWS_AT_ONCE):
            senders = batch.column("sender").dictionary_encode()
            yield IndexPart(
                senders.dictionary.to_pylist(),
                senders.indices.to_numpy(zero_copy_only=False).astype("int64"),
                batch.column("seq").to_numpy(),
                batch.column("position").to_numpy(),
            )

    def links(self, group: str, *, low: int, high: int) -> list[Link]:
        """The deliveries at the positions from `low` to `high`, in their order."""
        columns = ("position", "sender", "seq", "parent", "also")
        found: list[Link] = []
        for batch in self._batches(columns, _between(group, low, high), rows=ROWS_AT_ONCE):
            for position, sender, seq, parent, also in zip(
                *(batch.column(name).to_pylist() for name in columns), strict=True
            ):
                texts = () if parent is None else (parent, *(also or ()))
                parents = tuple(parse_id(text) for text in texts)
                found.append(Link(position, _message_id(sender, seq), parents))
        return sorted(found)

    def envelopes(
        self, group: str, positions: Sequence[int], *, most_bytes: int
    ) -> list[tuple[int, bytes]]:
        """The captured bytes at these ascending positions; without those that are too long.

        A row that cannot be turned back into its envelope is left out, and logged.
        """
        import pyarrow as pa
        import pyarrow.compute as pc

        if not positions:
            return []
        condition = _between(group, positions[0], positions[-1])
        if len(positions) <= positions[-1] - positions[0]:
            condition &= pc.field("position").isin(pa.array(positions, pa.int64()))
        found: list[tuple[int, bytes]] = []
        for batch in self._batches(COLUMNS, condition, rows=PAYLOADS_AT_ONCE):
            for row in _with_instants_as_numbers(batch).to_pylist():
                maybe_envelope = _maybe_envelope(row)
                if maybe_envelope is not None and len(maybe_envelope) <= most_bytes:
                    found.append((row["position"], maybe_envelope))
        return sorted(found)

    def _batches(
        self, columns: Sequence[str], condition: Any, *, rows: int
    ) -> Iterator[pa.RecordBatch]:
        """Batches of the table; a file that upkeep removed meanwhile is a `DestinationError`."""
        if self._maybe_dataset is None:
            raise DestinationError(f"the table at {self._path} was not looked at yet")
        try:
            batches = self._maybe_dataset.to_batches(
                columns=list(columns),
                filter=condition,
                batch_size=rows,
                batch_readahead=1,
                fragment_readahead=2,
            )
            yield from (batch for batch in batches if batch.num_rows)
        except OSError as error:
            self._maybe_table = self._maybe_dataset = None
            raise DestinationError(f"the table at {self._path} cannot be read: {error}") from error


def _between(group: str, low: int, high: int) -> Any:
    import pyarrow.compute as pc

    position = pc.field("position")
    return (pc.field("group") == group) & (position >= low) & (position <= high)


def _message_id(sender: str, seq: int) -> MessageId:
    from ordering.values import MemberId, MessageId

    return MessageId(MemberId(sender), seq)


def _with_instants_as_numbers(batch: pa.RecordBatch) -> pa.RecordBatch:
    """A sender's clock may stand beyond the years that Python knows."""
    import pyarrow as pa

    place = batch.schema.get_field_index("sent_at")
    numbers = batch.column(place).cast(pa.int64())
    return batch.set_column(place, "sent_at", numbers)


def _maybe_envelope(row: dict[str, Any]) -> bytes | None:
    try:
        return envelope_bytes(row)
    except (WireError, RecordError) as error:
        log.error("position %s of %s cannot be given: %s", row["position"], row["group"], error)
        return None
