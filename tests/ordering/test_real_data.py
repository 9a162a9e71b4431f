"""Real messages that nobody here wrote, shuffled, and held against the order of their source."""

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

from ordering.engine import Engine
from ordering.events import Delivered
from ordering.policy import GroupPolicy, Limits
from ordering.stamps import CausalStamps
from ordering.values import MemberId, Message, MessageId

PROJECT = Path(__file__).parents[2]
SHIPPED = PROJECT / "tests" / "data"
CHAT = PROJECT / "console" / "excerpt" / "rust.jsonl"
BESIDE = PROJECT.parent / "shared" / "data"
"""Larger sets of the same sources, where they lie beside the project."""
LARGER = [f"irc/{name}" for name in ("channel-two", "dev", "test", "new-domains")]
SPANS = ["spans/online-boutique", "spans/zipkin-messaging2"]
TREES = ["chat", *SPANS, *(name for name in LARGER if (BESIDE / f"{name}.jsonl.gz").exists())]
CLOCKS = ["vector-clocks/chord", "vector-clocks/reliable-broadcast"]


def lines(name: str) -> list[dict[str, Any]]:
    """Give one set; the whole of it where it lies beside the project, else what is shipped."""
    if name == "chat":
        return [json.loads(line) for line in CHAT.read_text(encoding="utf-8").splitlines()]
    places = [place / f"{name}.jsonl.gz" for place in (BESIDE, SHIPPED)]
    with gzip.open(next(path for path in places if path.exists()), "rt") as stream:
        return [json.loads(line) for line in stream]


def ident(pair: list[Any]) -> MessageId:
    return MessageId(MemberId(pair[0]), pair[1])


def groups(name: str) -> Iterator[list[tuple[Message, dict[str, int]]]]:
    """Give the messages of each group in the order of the source, with their clocks."""
    found: dict[str, list[tuple[Message, dict[str, int]]]] = {}
    for line in lines(name):
        parents = ([line["parent"]] if line["parent"] else []) + line.get("also", [])
        # In chat the clock is a time of day; only in the causal logs it is a vector.
        given = line.get("clock")
        clock: dict[str, int] = given if isinstance(given, dict) else {}
        message_id = ident([line["sender"], line["seq"]])
        content = json.dumps(line).encode()
        message = Message(message_id, tuple(ident(parent) for parent in parents), content)
        found.setdefault(line["group"], []).append((message, clock))
    yield from found.values()


def order(discipline: str, messages: list[Message]) -> list[MessageId]:
    """Order shuffled messages, in batches."""
    arrivals = list(messages)
    Random(len(arrivals)).shuffle(arrivals)
    limits = Limits(gaps_per_member=len(arrivals))
    engine = Engine(GroupPolicy(discipline=discipline, limits=limits))
    events = [
        event
        for at in range(0, len(arrivals), 100)
        for event in engine.receive_all(arrivals[at : at + 100], now=at)
    ]
    return [event.message.id for event in events if isinstance(event, Delivered)]


@pytest.mark.parametrize("name", TREES)
def test_all_that_hangs_from_nothing_missing_is_delivered_parents_first(name: str) -> None:
    for group in groups(name):
        messages = [message for message, _ in group]
        parents = {message.id: set(message.parents) for message in messages}
        reachable: set[MessageId] = set()
        waiting = list(messages)
        while ready := [one for one in waiting if parents[one.id] <= reachable]:
            reachable |= {one.id for one in ready}
            waiting = [one for one in waiting if one.id not in reachable]
        got: set[MessageId] = set()
        for message_id in order("semantic", messages):
            assert parents[message_id] <= got
            got.add(message_id)
        assert got == reachable


@pytest.mark.parametrize("name", CLOCKS)
def test_published_vector_clocks_are_followed(name: str) -> None:
    for group in groups(name):
        clocks = {message.id: clock for message, clock in group}
        stamped = [
            message._replace(
                parents=(),
                stamps=CausalStamps(
                    tuple(clock), tuple(n + (who != message.id.sender) for who, n in clock.items())
                ),
            )
            for message, clock in group
        ]
        delivered = order("causal", stamped)
        seen: dict[str, int] = {}
        for message_id in delivered:
            assert seen.get(message_id.sender, 0) == message_id.seq - 1
            for who, count in clocks[message_id].items():
                assert who == message_id.sender or seen.get(who, 0) >= count
            seen[message_id.sender] = message_id.seq
        assert len(delivered) == len(stamped)
