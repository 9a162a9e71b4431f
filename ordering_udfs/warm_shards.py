"""Shards that stay in a worker's memory between two batches.

To restore every group that a batch touches costs more than to order it. A worker process lives for
many batches, so it keeps the last state of each shard with its engines, and the very bytes that it
gave to Spark for it. The next batch brings the bytes that Spark has. If they are the same, byte for
byte, the kept shard is what they say, and nothing is decoded. If they are not (another worker had
the shard meanwhile, the batch is tried again, the job was restored from elsewhere) the kept one is
dropped, and the bytes decide::

    batch 7    bytes X -> order -> bytes Y      kept: Y and the engines
    batch 8    bytes Y == kept                  goes on with the engines
    batch 8    bytes X: batch 7 is tried again  drops them, decodes X

A shard is taken out while it is used, so that one that failed halfway is never found again.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import NamedTuple

from ordering.engine import Engine
from ordering_udfs.shard_state import ShardState, decode_state

MOST_SHARDS = 4
"""Shards that one worker keeps: Spark may give it another one's for a while."""
MOST_ENGINES = 20_000
"""Engines that a kept shard keeps, those touched last; an active group's takes some 5 kB."""


class WarmShard(NamedTuple):
    """What a shard was when its batch was over."""

    encoded: bytes
    state: ShardState
    engines: dict[str, Engine]


class WarmShards:
    """The shards that this process keeps."""

    def __init__(self) -> None:
        self._shards: dict[Hashable, WarmShard] = {}

    def take(self, name: Hashable, encoded: bytes) -> tuple[ShardState, dict[str, Engine]]:
        """Give the state that these bytes say, and the engines that are kept for it.

        `name` must say all that decides how the shard orders, its policies too.
        """
        maybe_kept = self._shards.pop(name, None)
        if maybe_kept is not None:
            if maybe_kept.encoded == encoded:
                return maybe_kept.state, maybe_kept.engines
            _drop(maybe_kept.engines, len(maybe_kept.engines))
        return decode_state(encoded), {}

    def keep(
        self, name: Hashable, encoded: bytes, *, state: ShardState, engines: dict[str, Engine]
    ) -> None:
        """Keep a shard whose batch is over; `encoded` is what Spark gets."""
        _drop(engines, len(engines) - MOST_ENGINES)
        self._shards[name] = WarmShard(encoded, state, engines)
        if len(self._shards) > MOST_SHARDS:
            oldest = self._shards.pop(next(iter(self._shards))).engines
            _drop(oldest, len(oldest))


def _drop(engines: dict[str, Engine], excess: int) -> None:
    """Drop so many engines, those touched longest ago."""
    for group in list(engines)[: max(0, excess)]:
        engines.pop(group).discard()
