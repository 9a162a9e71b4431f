"""Waiting in a loop until something is so, with a limit that only ends a broken test."""

import asyncio
import time
from collections.abc import Callable

PATIENCE_S = 60.0
LOOK_EVERY_S = 0.01


async def until(is_so: Callable[[], bool]) -> None:
    """Wait until something is so."""
    deadline_s = time.monotonic() + PATIENCE_S
    while not is_so():
        assert time.monotonic() < deadline_s, f"not so within {PATIENCE_S:g} s"
        await asyncio.sleep(LOOK_EVERY_S)
