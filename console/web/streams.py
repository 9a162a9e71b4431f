"""The two streams of server-sent events that a page listens to.

`overview` is the whole small picture, again and again. `conversation` is one group: its deliveries
in their order, each exactly once, and what is held. The id of an event is the ordinal of its last
delivery, so that a browser that comes back (`Last-Event-ID`), to this server or to one that was
started since, goes on behind it: first from the tables what the model has no longer, then live.

    id: 1041
    event: update
    data: {"messages": [...], "changes": [...], "all_held": null}

An id beyond all that there is comes from another log (topics made anew): the event `reset`
tells the page to forget what it has.
"""

from __future__ import annotations

import asyncio
import json
import time
from collections.abc import AsyncIterator, Callable
from typing import Any, Final

from console.web.history import History
from console.web.live_group import Change
from console.web.model import Model, Update
from sinks.errors import SinkError

LOOK_EVERY_SECONDS: Final = 0.1
OVERVIEW_EVERY_SECONDS: Final = 0.5
SILENCE_SECONDS: Final = 10.0
"""After so long without news a comment is sent, so that whoever is gone is noticed."""

BATCH: Final = 500
"""Deliveries in one event: some 200 KB, drawn at once."""

RETRY_MS: Final = 500
"""After which time a browser tries again when the server is away."""

MOST_STREAMS: Final = 64
"""Open streams; more are refused, so that forgotten pages cannot use up the server."""


def event(name: str, data: Any, *, maybe_id: int | None = None) -> bytes:
    """One event as it goes over the line; JSON has no line breaks of its own."""
    head = "" if maybe_id is None else f"id: {maybe_id}\n"
    body = json.dumps(data, separators=(",", ":"), ensure_ascii=False)
    return f"{head}event: {name}\ndata: {body}\n\n".encode(errors="replace")


def parse_last_id(text: str) -> int:
    """The ordinal that a browser has seen; anything else counts as nothing."""
    return int(text) if text.isascii() and text.isdecimal() and len(text) < 19 else 0


async def overview(
    picture: Callable[[], dict[str, Any]], *, is_over: Callable[[], bool]
) -> AsyncIterator[bytes]:
    """The whole picture whenever it has changed, at most twice a second."""
    yield f"retry: {RETRY_MS}\n\n".encode()
    sent, sent_at_s = b"", 0.0
    while not is_over():
        now = event("overview", picture())
        if now != sent:
            yield now
            sent, sent_at_s = now, time.monotonic()
        elif time.monotonic() - sent_at_s > SILENCE_SECONDS:
            yield b": still here\n\n"
            sent_at_s = time.monotonic()
        await asyncio.sleep(OVERVIEW_EVERY_SECONDS)


async def conversation(
    model: Model,
    history: History,
    group: str,
    *,
    last_id: int,
    is_caught_up: Callable[[], bool],
    is_over: Callable[[], bool],
) -> AsyncIterator[bytes]:
    """A group's deliveries behind `last_id` and what is held, then all that is new."""
    yield f"retry: {RETRY_MS}\n\n".encode()
    ordinal, version, sent_at_s = last_id, 0, time.monotonic()
    if last_id:
        # Only a model that has taken what the topic held can say what it has no longer.
        while not is_caught_up() and not is_over():
            await asyncio.sleep(LOOK_EVERY_SECONDS)
        if last_id > model.greatest_ordinal:
            yield event("reset", {})
            ordinal = last_id = 0
        async for missed in _missed(model, history, group, after=last_id):
            ordinal = missed[-1]["ordinal"]
            yield event("update", _data(missed), maybe_id=ordinal)
    while not is_over():
        update = model.update(group, after_ordinal=ordinal, after_version=version, at_most=BATCH)
        if update.messages or update.changes or version == 0 or update.maybe_all_held:
            if update.messages:
                ordinal = update.messages[-1].ordinal
            yield event("update", _shown(update), maybe_id=ordinal or None)
            sent_at_s = time.monotonic()
        elif time.monotonic() - sent_at_s > SILENCE_SECONDS:
            yield b": still here\n\n"
            sent_at_s = time.monotonic()
        version = update.version
        # A full batch means that there is more: give the others their turn and go on.
        await asyncio.sleep(0 if len(update.messages) == BATCH else LOOK_EVERY_SECONDS)


async def _missed(
    model: Model, history: History, group: str, *, after: int
) -> AsyncIterator[list[dict[str, Any]]]:
    """What a reader missed and the model has no longer, from the tables, in batches."""
    before = model.update(group, after_ordinal=0, after_version=0, at_most=1).first_ordinal
    while before and after + 1 < before:
        try:
            rows = await asyncio.to_thread(
                history.between, group, after=after, before=before, at_most=BATCH
            )
        except SinkError:
            return
        if not rows:
            return
        after = rows[-1]["ordinal"]
        yield rows


def _data(messages: list[dict[str, Any]]) -> dict[str, Any]:
    return {"messages": messages, "changes": [], "all_held": None}


def _shown(update: Update) -> dict[str, Any]:
    maybe_held = update.maybe_all_held
    return {
        "messages": [message.shown() for message in update.messages],
        "changes": [_shown_change(change) for change in update.changes],
        "all_held": None if maybe_held is None else [held.shown() for held in maybe_held],
    }


def _shown_change(change: Change) -> dict[str, Any]:
    maybe_held = change.maybe_held
    return {
        "id": change.id,
        "status": change.status,
        "held": None if maybe_held is None else maybe_held.shown(),
    }
