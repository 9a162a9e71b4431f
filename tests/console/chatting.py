"""Chats on a simulated network, driven by Textual's own pilot."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot
from textual.widgets import Static

from console.chat.app import ChatApp
from console.chat.opening import Opened
from console.chat.threads import Threads
from members.archive import Archive
from members.limits import Pace
from members.routing import GroupManager
from members.simulated_transport import SimulatedNetwork

PATIENCE_S = 60.0


def opened(network: SimulatedNetwork, name: str, *, maybe_archive: Archive | None = None) -> Opened:
    """A member that is not listening yet."""
    pace = Pace(asks=1, ask_again_us=50_000) if maybe_archive is not None else None
    manager = GroupManager(name, incarnation=1, seed=len(name), pace=pace)
    return Opened(manager, network.transport(), maybe_archive)


@asynccontextmanager
async def chatting(
    network: SimulatedNetwork,
    name: str,
    *,
    maybe_group: str | None = None,
    maybe_archive: Archive | None = None,
) -> AsyncIterator[tuple[ChatApp, Pilot[None]]]:
    """One chat on a screen that nobody sees."""
    app = ChatApp(
        opened(network, name, maybe_archive=maybe_archive),
        where="nowhere",
        maybe_group=maybe_group,
    )
    async with app.run_test(size=(110, 32)) as pilot:
        yield app, pilot


async def type_line(pilot: Pilot[None], text: str) -> None:
    """Type a line into the field and press Enter."""
    app = pilot.app
    field = app.query_one("#words")
    field.focus()
    await pilot.pause()
    field.value = text  # type: ignore[attr-defined]
    await pilot.press("enter")
    await pilot.pause()


def lines(app: ChatApp) -> list[str]:
    """The tree as a person reads it: two spaces for each level."""
    found: list[str] = []

    def walk(node: object, depth: int) -> None:
        for child in node.children:  # type: ignore[attr-defined]
            found.append("  " * depth + str(child.label))
            walk(child, depth + 1)

    walk(app.query_one(Threads).root, 0)
    return found


def said(app: ChatApp) -> list[str]:
    """The same without the clock behind each message."""
    return [line.rsplit("  ", 1)[0] for line in lines(app)]


def status(app: ChatApp) -> str:
    """The line below the tree."""
    return str(app.query_one("#status", Static).render())


async def until(pilot: Pilot[None], is_so: Callable[[], bool]) -> None:
    """Let the chats run until something is so."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s, f"not so within {PATIENCE_S:g} s"
        await pilot.pause(0.02)
        await asyncio.sleep(0)
