"""Streams of events: each delivery once, resumed behind the last that was seen."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from typing import Any

import pytest

from console.web import streams
from console.web.history import History
from console.web.model import Bounds, Model
from sinks.records import MarkBits, OrderedRecord, Origin
from sinks.waits import Sought, WaitRecord, WaitStatus
from tests.messages import wire

NOWHERE = History("/nowhere")


def deliver(model: Model, number: int) -> None:
    origin = Origin(number, 0, number)
    model.deliver(
        OrderedRecord(number, number, 0, origin, MarkBits.NONE, wire("a", number, payload=b"x\ny"))
    )


def parsed(raw: bytes) -> tuple[str, Any]:
    fields = dict(line.split(": ", 1) for line in raw.decode().strip().split("\n"))
    return fields.get("id", ""), json.loads(fields["data"])


async def first(events: AsyncIterator[bytes], count: int) -> list[tuple[str, Any]]:
    found = []
    async for raw in events:
        if raw.startswith((b"event", b"id")):
            found.append(parsed(raw))
            if len(found) == count:
                break
    return found


def conversation(model: Model, *, last_id: int, history: History = NOWHERE) -> AsyncIterator[bytes]:
    return streams.conversation(
        model, history, "g", last_id=last_id, is_caught_up=lambda: True, is_over=lambda: False
    )


def test_a_stream_gives_all_in_batches_and_then_what_is_new(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(streams, "BATCH", 2)
    model = Model()
    for number in range(1, 6):
        deliver(model, number)
    events = asyncio.run(first(conversation(model, last_id=0), 3))
    assert [one for one, _ in events] == ["2", "4", "5"]
    ordinals = [m["ordinal"] for _, data in events for m in data["messages"]]
    assert ordinals == [1, 2, 3, 4, 5]


def test_a_reader_that_comes_back_goes_on_behind_its_last_id() -> None:
    model = Model()
    for number in range(1, 6):
        deliver(model, number)
    ((_, data),) = asyncio.run(first(conversation(model, last_id=3), 1))
    assert [message["ordinal"] for message in data["messages"]] == [4, 5]


def test_a_reader_of_another_log_is_told_to_forget_and_gets_everything() -> None:
    model = Model()
    deliver(model, 1)
    events = asyncio.run(first(conversation(model, last_id=900), 2))
    assert events[0] == ("", {})
    assert [message["ordinal"] for message in events[1][1]["messages"]] == [1]


def test_what_the_model_has_no_longer_comes_from_the_tables_first() -> None:
    class Kept(History):
        def between(
            self, group: str, *, after: int, before: int, at_most: int
        ) -> list[dict[str, Any]]:
            assert group == "g"
            return [{"ordinal": number} for number in range(after + 1, before)][:at_most]

    model = Model(Bounds(messages=2))
    for number in range(1, 8):
        deliver(model, number)
    events = asyncio.run(first(conversation(model, last_id=2, history=Kept("")), 2))
    ordinals = [m["ordinal"] for _, data in events for m in data["messages"]]
    assert ordinals == [3, 4, 5, 6, 7]


def test_what_is_held_is_told_whole_first_and_then_as_it_changes() -> None:
    model = Model()
    held = WaitRecord(1, 0, Origin(1, 0, 5), "b#1:1", WaitStatus.HELD, Sought("a#1:1"), 7)
    model.wait("g", held)

    async def listen() -> list[tuple[str, Any]]:
        events = conversation(model, last_id=0)
        before = await first(events, 1)
        ended = held._replace(ordinal=2, status=WaitStatus.DELIVERED, maybe_sought=None)
        model.wait("g", ended)
        return before + await first(events, 1)

    (_, whole), (_, change) = asyncio.run(listen())
    assert [one["waiting_for"] for one in whole["all_held"]] == ["a#1:1"]
    assert change["changes"] == [{"id": "b#1:1", "status": "delivered", "held": None}]
    assert change["all_held"] is None


def test_the_overview_is_sent_when_it_changes() -> None:
    numbers = iter([1, 1, 1, 2])

    async def listen() -> list[tuple[str, Any]]:
        return await first(streams.overview(lambda: {"n": next(numbers)}, is_over=lambda: False), 2)

    assert [data["n"] for _, data in asyncio.run(listen())] == [1, 2]


def test_a_stream_ends_when_the_server_stops() -> None:
    async def listen() -> int:
        events = streams.overview(dict, is_over=lambda: True)
        return len([one async for one in events])

    assert asyncio.run(listen()) == 1


@pytest.mark.parametrize(
    ("text", "number"), [("17", 17), ("", 0), ("-3", 0), ("x", 0), ("9" * 30, 0), ("²", 0)]
)
def test_only_a_number_is_an_id(text: str, number: int) -> None:
    assert streams.parse_last_id(text) == number


def test_an_event_is_one_line_of_data_whatever_the_text() -> None:
    raw = streams.event("update", {"text": "a\n\ndata: b\r\ud800"}, maybe_id=3)
    assert raw.count(b"\n") == 4
    assert raw.startswith(b"id: 3\nevent: update\ndata: ")
