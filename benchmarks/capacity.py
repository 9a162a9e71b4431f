"""The capacity benchmark: how many groups and held messages one raw partition carries.

One Python worker's work without Spark, a process of its own for each size: make the groups, each
with a message of one member; then batches that touch one in a hundred of them. What grows with the
groups is the state, which travels whole with every batch, and the time to copy it. Then the same
for held messages. docs/BENCHMARKS.md says what each figure means.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Final

from benchmarks.figures import Measured, rounded
from benchmarks.memory import resident_bytes
from benchmarks.timing import Say
from ingest.wire.envelope import Envelope, Kind, encode
from ordering.values import GroupId, MemberId, MessageId
from ordering_udfs.collector import held_back
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from ordering_udfs.warm_shards import WarmShards
from streaming.policy import group_policies
from streaming.settings import JobSettings

GROUPS: Final = (100, 1_000, 10_000, 100_000, 1_000_000)
HELD: Final = (1_000, 10_000, 100_000)
TOUCHED_SHARE: Final = 100
BATCHES: Final = 3
BATCH: Final = 50_000
MS_PER_S: Final = 1_000
PAYLOAD: Final = bytes(90)


def measure(
    *, say: Say, groups: tuple[int, ...] = GROUPS, held: tuple[int, ...] = HELD
) -> Measured:
    """A process for each size, so that the memory of one is not another's."""
    figures: dict[str, float] = {}
    for name, sizes, run in (("groups", groups, with_groups), ("held", held, with_held)):
        for size in sizes:
            say(f"{size:,} {name}")
            figures |= {f"{name}_{size}_{key}": one for key, one in _alone(run, size).items()}
    return Measured(figures, {})


def _alone(run: Callable[[int], dict[str, float]], size: int) -> dict[str, float]:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        return pool.submit(run, size).result()


def with_groups(count: int) -> dict[str, float]:
    """Make so many groups, then touch one in a hundred of them in each batch."""
    worker = _Worker()
    names = [f"group-{number:07d}" for number in range(count)]
    for start in range(0, count, BATCH):
        worker.take([_message(name, 1) for name in names[start : start + BATCH]])
    touched = max(1, count // TOUCHED_SHARE)
    spent = [
        worker.take([_message(name, 2 + batch) for name in names[:touched]])
        for batch in range(BATCHES)
    ]
    return worker.figures(spent)


def with_held(count: int) -> dict[str, float]:
    """Let so many messages of 100 groups wait for what never comes; then deliver others."""
    worker = _Worker()
    names = [f"group-{number:03d}" for number in range(100)]
    for start in range(0, count, BATCH):
        numbers = range(start, min(count, start + BATCH))
        worker.take([_message(names[at % 100], 2 + at // 100, waits=True) for at in numbers])
    spent = [
        worker.take([_message(name, 1 + batch, member="bob#1") for name in names])
        for batch in range(BATCHES)
    ]
    return worker.figures(spent)


class _Worker:
    """As a worker of the job: one shard, warm, batch after batch through the bytes of its state."""

    def __init__(self) -> None:
        self._warm = WarmShards()
        self._encoded = encode_state(ShardState(0))
        self._policies = group_policies(JobSettings())
        self._offset = 0

    def take(self, values: list[bytes]) -> float:
        """Order one batch; give the seconds of this thread that it took."""
        started = time.thread_time()
        with held_back():
            state, engines = self._warm.take(0, self._encoded)
            shard = Shard(state, policies=self._policies, partitions=1, engines=engines)
            offsets = range(self._offset, self._offset + len(values))
            shard.receive(RawRows(offsets, [5] * len(values), values))
            self._encoded = encode_state(shard.finish())
            self._warm.keep(0, self._encoded, state=state, engines=engines)
            del shard
        self._offset += len(values)
        return time.thread_time() - started

    def figures(self, spent: list[float]) -> dict[str, float]:
        """The state's bytes, the worker's resident bytes, and the best batch's time."""
        return {
            "state_bytes": float(len(self._encoded)),
            "resident_bytes": float(sum(resident_bytes(os.getpid()).values())),
            "batch_ms": rounded(min(spent) * MS_PER_S),
        }


def _message(group: str, seq: int, *, member: str = "ann#1", waits: bool = False) -> bytes:
    parents = (MessageId(MemberId("nobody#1"), seq),) if waits else ()
    return encode(
        Envelope(Kind.MESSAGE, GroupId(group), MemberId(member), seq, parents, PAYLOAD, seq)
    )
