"""What the page knows: the newest of every group, in bounds. One thread fills it, requests read it.

Bounded by count: the oldest delivery of all groups goes first, and the tables have it. A group that
has been silent longest goes when there are too many. Nothing that is shown is kept anywhere else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict, deque
from typing import Any, Final, NamedTuple

from console.web.live_group import Change, Coordinates, HeldMessage, LiveGroup, LiveMessage
from ingest.wire.envelope import Envelope, decode
from ingest.wire.errors import WireError
from sinks.decoding import mark_names
from sinks.identity import id_text
from sinks.records import Counters, OrderedRecord
from sinks.waits import GapRecord, GapStatus, WaitRecord, WaitStatus

MOST_MESSAGES: Final = 100_000
"""Deliveries of all groups that are kept: as many as the page scrolls, some 100 MB if short."""

MOST_HELD: Final = 20_000
"""Held messages of all groups that are kept one by one; the others are only counted."""

MOST_GROUPS: Final = 10_000
"""Groups that are kept; of more, the one that was silent longest goes."""

MOST_TEXT: Final = 1_000
"""Characters of a text that are kept; the whole one stands in the tables."""

MOST_LISTED: Final = 500
"""Groups in the live table: those that moved last."""

GAPS_KEPT: Final = 100
"""News of gaps that the page lists."""

SEALED_TEXT: Final = "(sealed: only holders of the group's key can read it)"
_MICROSECONDS_PER_SECOND: Final = 1_000_000


class Bounds(NamedTuple):
    """How much the model keeps; tests take less."""

    messages: int = MOST_MESSAGES
    held: int = MOST_HELD
    groups: int = MOST_GROUPS
    text: int = MOST_TEXT


class Update(NamedTuple):
    """What a reader of one group gets next."""

    messages: list[LiveMessage]
    changes: list[Change]
    maybe_all_held: list[HeldMessage] | None
    """everything that is held, if the reader was too far behind for changes"""
    version: int
    first_ordinal: int


class Model:
    """Everything live; every method may be called from any thread."""

    def __init__(self, bounds: Bounds | None = None) -> None:
        self._bounds = bounds or Bounds()
        self._lock = threading.Lock()
        self._groups: OrderedDict[str, LiveGroup] = OrderedDict()
        self._ages: deque[LiveGroup] = deque()
        self._held_count = 0
        self._version = 0
        self._counters: dict[int, tuple[Counters, int]] = {}
        self._gap_news: deque[dict[str, Any]] = deque(maxlen=GAPS_KEPT)
        self.greatest_ordinal = 0
        """of all deliveries that were ever taken: a reader that has seen more is of another log"""
        self.problem = ""
        """Why the topics cannot be followed, in a sentence; empty while all is well."""

    # What the follower calls.

    def deliver(self, record: OrderedRecord, *, at_second: int | None = None) -> None:
        """Take one delivery; `at_second` is when it was seen, else the log's own time counts."""
        try:
            envelope = decode(record.envelope)
        except WireError:
            return
        text, is_cut = text_of(envelope, self._bounds.text)
        with self._lock:
            group = self._group(envelope.group, record.partition)
            group.delivered_at = max(group.delivered_at, record.origin.captured_at)
            message = LiveMessage(
                ordinal=record.ordinal,
                position=record.position,
                id=f"{envelope.sender}:{envelope.seq}",
                parents=tuple(id_text(parent) for parent in envelope.parents),
                text=text,
                is_cut=is_cut,
                marks=tuple(mark_names(record)),
                sent_at=envelope.sent_at,
                captured_at=record.origin.captured_at,
                delivered_at=group.delivered_at,
                coordinates=(record.partition, record.origin.offset, record.origin.entry),
            )
            second = group.delivered_at // _MICROSECONDS_PER_SECOND
            group.deliver(message, at_second=second if at_second is None else at_second)
            self._ages.append(group)
            self.greatest_ordinal = max(self.greatest_ordinal, record.ordinal)
            self._version += 1
            while len(self._ages) > self._bounds.messages:
                self._ages.popleft().drop_oldest()

    def wait(self, group_name: str, record: WaitRecord) -> None:
        """Take a word about a message that waits, or waits no longer."""
        origin = record.origin
        with self._lock:
            self._version += 1
            group = self._group(group_name, record.partition)
            if record.status is not WaitStatus.HELD or record.maybe_sought is None:
                self._held_count -= record.id in group.held
                group.end_wait(record.id, record.status.value, version=self._version)
                return
            if record.id not in group.held:
                if self._held_count >= self._bounds.held:
                    group.held_beyond += 1
                    return
                self._held_count += 1
            maybe_known = group.held.get(record.id)
            group.hold(
                HeldMessage(
                    record.id,
                    record.maybe_sought,
                    origin.captured_at,
                    record.at,
                    (record.partition, origin.offset, origin.entry),
                    None if maybe_known is None else maybe_known.maybe_text,
                    () if maybe_known is None else maybe_known.parents,
                ),
                version=self._version,
            )

    def describe(self, group_name: str, message_id: str, maybe_content: bytes | None) -> None:
        """Take what a held message says, from its raw record; None if that is gone."""
        text = ""
        parents: tuple[str, ...] = ()
        if maybe_content is not None:
            try:
                envelope = decode(maybe_content)
                text, _ = text_of(envelope, self._bounds.text)
                parents = tuple(id_text(parent) for parent in envelope.parents)
            except WireError:
                text = ""
        with self._lock:
            maybe_group = self._groups.get(group_name)
            maybe_held = None if maybe_group is None else maybe_group.held.get(message_id)
            if maybe_group is None or maybe_held is None:
                return
            self._version += 1
            held = maybe_held._replace(maybe_text=text, parents=parents)
            maybe_group.hold(held, version=self._version)

    def gap(self, record: GapRecord) -> None:
        """Take news of something that is missing."""
        with self._lock:
            self._version += 1
            if record.status is GapStatus.ABANDONED:
                self._group(record.group, record.partition).abandoned += 1
            self._gap_news.appendleft(
                {
                    "group": record.group,
                    "status": record.status.value,
                    **record.sought._asdict(),
                    "at": record.at,
                }
            )

    def count(self, counters: Counters, *, seen_at: int) -> None:
        """Take the job's newest word on one partition."""
        with self._lock:
            self._version += 1
            self._counters[counters.partition] = (counters, seen_at)

    def unread(self, at_most: int) -> list[tuple[str, str, Coordinates]]:
        """Held messages whose raw record should be read, oldest group first."""
        with self._lock:
            found = []
            for group in self._groups.values():
                for held in group.unread():
                    found.append((group.name, held.id, held.coordinates))
                    if len(found) == at_most:
                        return found
            return found

    # What requests call.

    @property
    def version(self) -> int:
        """Rises with every change."""
        return self._version

    def update(
        self, group_name: str, *, after_ordinal: int, after_version: int, at_most: int
    ) -> Update:
        """What is new in a group for a reader that has seen so much."""
        with self._lock:
            maybe_group = self._groups.get(group_name)
            if maybe_group is None:
                return Update([], [], [], self._version, 0)
            maybe_changes = maybe_group.changes_after(after_version) if after_version else None
            all_held = list(maybe_group.held.values()) if maybe_changes is None else None
            return Update(
                maybe_group.after(after_ordinal, at_most=at_most),
                maybe_changes or [],
                all_held,
                self._version,
                maybe_group.first_ordinal,
            )

    def find(self, group_name: str, message_id: str) -> LiveMessage | None:
        """A delivery that is still here."""
        with self._lock:
            maybe_group = self._groups.get(group_name)
            return None if maybe_group is None else maybe_group.find(message_id)

    def held(self, group_name: str) -> dict[str, HeldMessage]:
        """All that is held in a group, by id."""
        with self._lock:
            maybe_group = self._groups.get(group_name)
            return {} if maybe_group is None else dict(maybe_group.held)

    def groups(self, *, now_second: int) -> tuple[list[dict[str, Any]], int]:
        """The lines of the table, those that moved last first, and how many groups there are."""
        with self._lock:
            listed = list(reversed(self._groups.values()))[:MOST_LISTED]
            return [group.overview(now_second) for group in listed], len(self._groups)

    def counters(self) -> list[tuple[Counters, int]]:
        """The newest counters of each partition, and when they were seen (microseconds)."""
        with self._lock:
            return [self._counters[partition] for partition in sorted(self._counters)]

    def gap_news(self) -> list[dict[str, Any]]:
        """The newest news of gaps, newest first."""
        with self._lock:
            return list(self._gap_news)

    def _group(self, name: str, partition: int) -> LiveGroup:
        maybe_group = self._groups.get(name)
        if maybe_group is None:
            maybe_group = self._groups[name] = LiveGroup(name, partition)
            if len(self._groups) > self._bounds.groups:
                _, gone = self._groups.popitem(last=False)
                self._held_count -= len(gone.held)
        self._groups.move_to_end(name)
        return maybe_group


def text_of(envelope: Envelope, at_most: int) -> tuple[str, bool]:
    """A payload as text for people, and whether it was cut."""
    if envelope.is_sealed:
        return SEALED_TEXT, False
    text = envelope.payload.decode(errors="replace")
    return text[:at_most], len(text) > at_most
