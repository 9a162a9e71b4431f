"""Find messages in the table `deliveries`: one by its id, and the thread that it belongs to."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from console.errors import OperatorError, UsageError
from ingest.wire.envelope import decode
from ingest.wire.errors import WireError
from sinks.consumer_delivery import Delivery
from sinks.consumer_history import read_deliveries
from sinks.errors import RecordError
from sinks.identity import id_text, parse_id
from sinks.table_reader import open_dataset, read_rows
from sinks.tables import DELIVERIES, QUARANTINE

if TYPE_CHECKING:
    import pyarrow.dataset as pds


class Refused(NamedTuple):
    """A message that will not be delivered."""

    group: str
    reason: str
    detail: str


def checked_id(text: str) -> str:
    """A message id as a person wrote it; `UsageError` if it is none."""
    try:
        return id_text(parse_id(text))
    except RecordError as error:
        raise UsageError(str(error)) from error


def find_deliveries(directory: str, message_id: str, *, maybe_group: str | None) -> list[Delivery]:
    """Every delivery with this id: one for each group in which the member counts alike."""
    import pyarrow.dataset as pds

    wanted = pds.field("id") == message_id
    if maybe_group is not None:
        wanted = wanted & (pds.field("group") == maybe_group)
    return read_deliveries(open_dataset(directory, DELIVERIES), wanted)


def find_refused(directory: str, message_id: str, *, maybe_group: str | None) -> list[Refused]:
    """Every row of quarantine whose bytes are an envelope with this id."""
    found = []
    columns = ("group", "reason", "detail", "captured")
    for group, reason, detail, captured in read_rows(directory, QUARANTINE, columns=columns):
        if maybe_group is not None and group != maybe_group:
            continue
        try:
            envelope = decode(captured)
        except WireError:
            continue
        if f"{envelope.sender}:{envelope.seq}" == message_id:
            found.append(Refused(envelope.group, reason, detail))
    return found


def thread_of(directory: str, message: Delivery, *, is_below_only: bool) -> list[Delivery]:
    """The messages of a thread in the order of delivery: all of it, or what answers one message."""
    import pyarrow.dataset as pds

    dataset = open_dataset(directory, DELIVERIES)
    here = pds.field("group") == message.group
    rows = _parents(dataset, here)
    root = message.id if is_below_only else _root(message.id, rows)
    positions = _descendants(root, rows)
    wanted = here & pds.field("position").isin(positions)
    return sorted(read_deliveries(dataset, wanted), key=lambda one: one.position)


def only_one(found: Iterable[Delivery], message_id: str) -> Delivery:
    """The delivery that is meant; an error that says what to do if there is none or several."""
    all_found = list(found)
    if not all_found:
        raise OperatorError(
            f"no delivery has the id {message_id}: precede why {message_id} says what is known"
        )
    if len(all_found) > 1:
        groups = ", ".join(sorted(one.group for one in all_found))
        raise UsageError(
            f"{message_id} was delivered in several groups ({groups}): choose one with --group"
        )
    return all_found[0]


class _Link(NamedTuple):
    position: int
    maybe_parent: str | None


def _parents(dataset: pds.Dataset, here: Any) -> dict[str, _Link]:
    table = dataset.to_table(columns=["id", "position", "parent"], filter=here)
    columns = (table.column(name).to_pylist() for name in ("id", "position", "parent"))
    return {
        found: _Link(position, parent) for found, position, parent in zip(*columns, strict=True)
    }


def _root(message_id: str, rows: dict[str, _Link]) -> str:
    """Up to the first message whose parent was not delivered, or that answers nothing."""
    while True:
        maybe_parent = rows[message_id].maybe_parent
        # A child comes after its parent; one that does not was released before it.
        if maybe_parent is None or maybe_parent not in rows:
            return message_id
        if rows[maybe_parent].position >= rows[message_id].position:
            return message_id
        message_id = maybe_parent


def _descendants(root: str, rows: dict[str, _Link]) -> list[int]:
    children: dict[str, list[str]] = defaultdict(list)
    for found, link in rows.items():
        if link.maybe_parent is not None:
            children[link.maybe_parent].append(found)
    positions, waiting, seen = [], [root], {root}
    while waiting:
        current = waiting.pop()
        positions.append(rows[current].position)
        fresh = [child for child in children[current] if child not in seen]
        seen.update(fresh)
        waiting += fresh
    return positions
