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

DATA = Path(__file__).parents[3] / "shared" / "data"
SMALL = [
    {"group": "g", "sender": "ann", "seq": 1, "parent": None, "clock": {"ann": 1}},
    {"group": "g", "sender": "ben", "seq": 1, "parent": ["ann", 1], "clock": {"ann": 1, "ben": 1}},
    {"group": "g", "sender": "cas", "seq": 1, "parent": None, "clock": {"cas": 1}},
    {
        "group": "g",
        "sender": "ann",
        "seq": 2,
        "parent": ["ben", 1],
        "also": [["cas", 1]],
        "clock": {"ann": 2, "ben": 1, "cas": 1},
    },
    {"group": "g", "sender": "ben", "seq": 2, "parent": ["missing-x", 0], "clock": {"ben": 2}},
]
"""A few lines in the same form, for where the data is not."""
SETS = ["small", "irc/channel-two", "irc/dev", "irc/test", "irc/new-domains"]
SPANS = ["spans/online-boutique", "spans/zipkin-messaging2"]
CLOCKS = ["small", "vector-clocks/chord", "vector-clocks/reliable-broadcast"]


def lines(name: str) -> list[dict[str, Any]]:
    if name == "small":
        return SMALL
    path = DATA / f"{name}.jsonl.gz"
    if not path.exists():
        pytest.skip(f"{name} is not here: the real data lies beside the project, in shared/data")
    with gzip.open(path, "rt") as stream:
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


@pytest.mark.parametrize("name", SETS + SPANS)
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
