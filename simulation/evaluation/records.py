"""Reads real messages from files: one JSON object per line, as the published sets have them.

`waiting_figures` calls `read_sets` with the directory that `precede evaluate` chose. Fields used:
`group`, `sender`, `seq`, `parent` ([sender, seq] or null), `also` (further parents), `at`
(seconds), `clock` (time of day, or the vector clock), `annotated` and, for spans, the start in
`data`.

The messages of a group are put into *sending order*: by time of sending, else by place in the file,
but never a message before its sender's earlier ones or before its parents.

    file (a span is exported when it ends):  child, grandchild, parent
    sending order (when it began):           parent, child, grandchild
"""

from __future__ import annotations

import gzip
import heapq
import json
from collections.abc import Iterator
from enum import Enum
from pathlib import Path
from typing import Any, NamedTuple

from ordering.values import MemberId, MessageId
from simulation.evaluation.errors import MissingDataError

SECOND_US = 1_000_000
DAY_SECONDS = 86_400
FIRST_INCARNATION = "#1"
NEVER_SENT_SEQ = 1
"""A parent that is in no file is named by its sender alone: it gets number 1, and never comes."""


class Kind(Enum):
    """What a set is made of; it decides where arrivals come from."""

    CHAT = "chat"
    SPANS = "spans"
    CLOCKS = "vector clocks"


class Sent(NamedTuple):
    """One message as it was sent. `place` is its line within its group's part of the file.

    `maybe_arrived_at` is None for chat, of which nobody knows when it arrived. `clock` is the
    sender's own vector clock where the source has one, else empty. `is_linked` is false where
    nobody has looked for its parent.
    """

    id: MessageId
    parents: tuple[MessageId, ...]
    sent_at: int
    place: int
    maybe_arrived_at: int | None
    clock: tuple[tuple[MemberId, int], ...]
    is_linked: bool


class MessageSet(NamedTuple):
    """The groups of one source, each a list of messages in sending order.

    `has_time` is false where the source tells the order of arrival and no instants.
    """

    name: str
    kind: Kind
    has_time: bool
    groups: tuple[tuple[Sent, ...], ...]


def read_sets(directory: Path) -> list[MessageSet]:
    """All sets below `directory`; chat files of one folder are one set, other files one each.

    Raises `MissingDataError` where there is no file at all.
    """
    files = sorted([*directory.rglob("*.jsonl.gz"), *directory.rglob("*.jsonl")])
    if not files:
        raise MissingDataError(directory)
    groups: dict[tuple[str, Kind], dict[str, list[dict[str, Any]]]] = {}
    for file in files:
        for line in _lines(file):
            record = json.loads(line)
            kind = _kind(record)
            name = file.parent.name if kind is Kind.CHAT else file.name.split(".")[0]
            groups.setdefault((name, kind), {}).setdefault(record["group"], []).append(record)
    return [
        MessageSet(
            name,
            kind,
            kind is Kind.CHAT
            or all(r.get("at") is not None for rs in by_group.values() for r in rs),
            tuple(_sent(records) for records in by_group.values()),
        )
        for (name, kind), by_group in groups.items()
    ]


def _lines(file: Path) -> Iterator[str]:
    content = file.read_bytes()
    text = gzip.decompress(content) if file.suffix == ".gz" else content
    yield from text.decode().splitlines()


def _kind(record: dict[str, Any]) -> Kind:
    if isinstance(record.get("clock"), dict):
        return Kind.CLOCKS
    return Kind.SPANS if isinstance(record["data"], dict) else Kind.CHAT


def _member(name: str) -> MemberId:
    return MemberId(name + FIRST_INCARNATION)


def _parent_id(link: list[Any]) -> MessageId:
    return MessageId(_member(link[0]), link[1] or NEVER_SENT_SEQ)


def _sent(records: list[dict[str, Any]]) -> tuple[Sent, ...]:
    """The messages of one group in sending order."""
    instants = _sending_instants(records)
    messages = [
        Sent(
            id=MessageId(_member(record["sender"]), record["seq"]),
            parents=tuple(
                _parent_id(link)
                for link in ([record["parent"]] if record["parent"] else [])
                + record.get("also", [])
            ),
            sent_at=sent_at,
            place=place,
            maybe_arrived_at=_arrival(record, place),
            clock=_clock(record),
            is_linked=record.get("annotated", True),
        )
        for place, (record, sent_at) in enumerate(zip(records, instants, strict=True))
    ]
    return tuple(in_sending_order(messages))


def _arrival(record: dict[str, Any], place: int) -> int | None:
    """Chat has no arrivals: its `at` is when somebody spoke. Other lines without `at` stand in
    order of arrival, and count as one second apart.
    """
    if _kind(record) is Kind.CHAT:
        return None
    if record.get("at") is None:
        return place * SECOND_US
    return int(record["at"] * SECOND_US)


def _clock(record: dict[str, Any]) -> tuple[tuple[MemberId, int], ...]:
    clock = record.get("clock")
    if not isinstance(clock, dict):
        return ()
    return tuple((_member(name), count) for name, count in sorted(clock.items()))


def _sending_instants(records: list[dict[str, Any]]) -> list[int]:
    """When each record was sent, in microseconds; its place in seconds where nothing says.

    A time of day without seconds stands for many messages: those of one minute are spread over
    it evenly. A time of day that goes back by more than half a day means the next day.
    """
    first = records[0]
    if _kind(first) is Kind.CLOCKS:
        return [place * SECOND_US for place in range(len(records))]
    if isinstance(first["data"], dict) and "start" in first["data"]:
        return [record["data"]["start"] // 1000 for record in records]
    if isinstance(first["data"], dict):
        return [int(record["data"]["ts"]) for record in records]
    if any(record.get("clock") for record in records):
        return _spread_clock(_fill([record.get("clock") for record in records]))
    if first.get("at") is not None:
        return [round(record["at"] * SECOND_US) for record in records]
    return [place * SECOND_US for place in range(len(records))]


def _fill(clocks: list[str | None]) -> list[str]:
    """Lines without a time of day take that of the line before them, the first lines the first."""
    latest = next(clock for clock in clocks if clock)
    filled = []
    for clock in clocks:
        latest = clock or latest
        filled.append(latest)
    return filled


def _spread_clock(clocks: list[str]) -> list[int]:
    instants: list[int] = []
    day = 0
    latest = 0
    start = 0
    while start < len(clocks):
        end = start
        while end < len(clocks) and clocks[end] == clocks[start]:
            end += 1
        parts = [int(part) for part in clocks[start].split(":")]
        seconds = sum(part * unit for part, unit in zip(parts, (3600, 60, 1), strict=False))
        if day + seconds < latest - DAY_SECONDS // 2:
            day += DAY_SECONDS
        latest = max(latest, day + seconds)
        width = 60 if len(parts) == 2 else 1
        for number in range(end - start):
            instants.append(latest * SECOND_US + number * width * SECOND_US // (end - start))
        start = end
    return instants


def in_sending_order(messages: list[Sent]) -> list[Sent]:
    """Kahn's algorithm with a heap: of the messages whose sender's and parents' are out, the first.

    1. count for each message the known messages that it must follow;
    2. take the message with the least (sent_at, place) among those that follow nothing more;
    3. for each message that follows it, count one less.
    Messages that lie on a cycle of links are left out.
    """
    numbers = {message.id: number for number, message in enumerate(messages)}
    followers: list[list[int]] = [[] for _ in messages]
    to_follow = [0] * len(messages)
    for number, message in enumerate(messages):
        previous = MessageId(message.id.sender, message.id.seq - 1)
        for earlier in {previous, *message.parents}:
            if earlier in numbers:
                followers[numbers[earlier]].append(number)
                to_follow[number] += 1
    ready = [(m.sent_at, m.place, n) for n, m in enumerate(messages) if not to_follow[n]]
    heapq.heapify(ready)
    ordered = []
    while ready:
        number = heapq.heappop(ready)[2]
        ordered.append(messages[number])
        for follower in followers[number]:
            to_follow[follower] -= 1
            if not to_follow[follower]:
                later = messages[follower]
                heapq.heappush(ready, (later.sent_at, later.place, follower))
    return ordered
