"""Who waits for what, from the rows of `waits`: what is held, what is missing, and the chains.

The newest row of a message counts. A message that waits for another held one waits, in the end, for
what that one waits for; the last link of the chain is what nobody has seen.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

from console.shared_options import Source
from sinks.errors import RecordError
from sinks.kafka_client import read_topic
from sinks.settings import KafkaSettings
from sinks.table_reader import read_rows
from sinks.tables import WAITS
from sinks.waits import EXACT, WaitStatus, decode_wait


class WaitRow(NamedTuple):
    """One row of `waits`; instants are microseconds."""

    group: str
    id: str
    status: str
    waiting_for: str | None
    measure: str | None
    by: str | None
    at: int
    raw_partition: int
    raw_offset: int
    raw_entry: int
    captured_at: int
    ordinal: int


class Pending(NamedTuple):
    """A message that is held now."""

    group: str
    id: str
    waiting_for: str
    measure: str
    by: str
    since: int
    told_at: int


class Gap(NamedTuple):
    """Something that is missing, and how many wait for it."""

    group: str
    missing: str
    measure: str
    by: str
    waiting: int
    """Directly."""
    blocked: int
    """Directly or through others."""
    since: int


def wait_rows(source: Source, *, kafka: KafkaSettings, directory: str) -> Iterator[WaitRow]:
    """Every row of the table or of the topic."""
    if source is Source.TOPICS:
        yield from _rows_of_topic(kafka)
        return
    for values in read_rows(directory, WAITS, columns=WaitRow._fields):
        row = WaitRow(*values)
        yield row._replace(at=_microseconds(row.at), captured_at=_microseconds(row.captured_at))


def _rows_of_topic(kafka: KafkaSettings) -> Iterator[WaitRow]:
    for stored in read_topic(kafka, kafka.topics.waits):
        try:
            record = decode_wait(stored.value)
        except RecordError:
            continue
        sought = record.maybe_sought
        yield WaitRow(
            stored.key.decode(errors="replace"),
            record.id,
            record.status.value,
            None if sought is None else sought.waiting_for,
            None if sought is None else sought.measure,
            None if sought is None else sought.by,
            record.at,
            record.partition,
            *record.origin[:2],
            record.origin.captured_at,
            record.ordinal,
        )


def pending_of(rows: Iterable[WaitRow]) -> list[Pending]:
    """What is held now, the longest wait first."""
    newest: dict[tuple[int, int, int], WaitRow] = {}
    for row in rows:
        place = (row.raw_partition, row.raw_offset, row.raw_entry)
        known = newest.get(place)
        if known is None or row.ordinal > known.ordinal:
            newest[place] = row
    held = [
        Pending(
            row.group,
            row.id,
            row.waiting_for or "",
            row.measure or EXACT,
            row.by or "",
            row.captured_at,
            row.at,
        )
        for row in newest.values()
        if row.status == WaitStatus.HELD
    ]
    return sorted(held, key=lambda one: (one.since, one.group, one.id))


def chain_of(pending: Iterable[Pending], first: Pending) -> list[Pending]:
    """From a held message to the last held one before what is missing."""
    by_id = {(one.group, one.id): one for one in pending}
    chain, seen = [first], {first.id}
    while True:
        maybe_next = by_id.get((first.group, chain[-1].waiting_for))
        if maybe_next is None or maybe_next.id in seen:
            return chain
        chain.append(maybe_next)
        seen.add(maybe_next.id)


def gaps_of(pending: Iterable[Pending]) -> list[Gap]:
    """What is missing, the one that blocks most first."""
    held = list(pending)
    by_id = {(one.group, one.id): one for one in held}
    root_of: dict[tuple[str, str], Pending] = {}
    for one in held:
        _find_root(one, by_id, root_of)
    blocked: Counter[tuple[str, str, str, str]] = Counter()
    waiting: Counter[tuple[str, str, str, str]] = Counter()
    since: dict[tuple[str, str, str, str], int] = {}
    for one in held:
        root = root_of[one.group, one.id]
        name = (root.group, root.waiting_for, root.measure, root.by)
        blocked[name] += 1
        since[name] = min(since.get(name, one.since), one.since)
        if (one.group, one.waiting_for) not in by_id:
            waiting[name] += 1
    gaps = [Gap(*name, waiting[name], count, since[name]) for name, count in blocked.items()]
    return sorted(gaps, key=lambda gap: (-gap.blocked, gap.since, gap.group, gap.missing))


def _find_root(
    one: Pending,
    by_id: dict[tuple[str, str], Pending],
    root_of: dict[tuple[str, str], Pending],
) -> None:
    """The last held message of a chain, remembered for every link that was passed."""
    passed: list[tuple[str, str]] = []
    on_way: set[tuple[str, str]] = set()
    current = one
    while True:
        name = (current.group, current.id)
        if name in root_of:
            root = root_of[name]
            break
        passed.append(name)
        on_way.add(name)
        maybe_next = by_id.get((current.group, current.waiting_for))
        if maybe_next is None or (maybe_next.group, maybe_next.id) in on_way:
            root = current
            break
        current = maybe_next
    for name in passed:
        root_of[name] = root


def _microseconds(at: Any) -> int:
    """An instant of a table as a whole number; by whole seconds, so that nothing is rounded."""
    if isinstance(at, int):
        return at
    return int(at.timestamp()) * 1_000_000 + int(at.microsecond)
