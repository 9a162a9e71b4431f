"""Many groups, few messages of each: what a batch of the job asks of the engines.

A hundred messages of every group, then the next hundred. Engines are *kept* between the batches, or
each begins as the bytes that the batch before left and ends as bytes, as after a restart:

    kept         receive_all                               for each group
    from bytes   decode, restore, receive_all, snapshot, encode
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from itertools import islice
from typing import Final

from benchmarks.arrivals import Arrival, conversation
from benchmarks.contestants import BATCH_US, FIRST_AT
from benchmarks.decoding import decoded
from benchmarks.options import Options
from benchmarks.timing import Run, now_ns, race
from ordering.engine import Engine
from ordering.policy import GroupPolicy
from ordering_udfs.shard_state import decode_snapshot, encode_snapshot

SEMANTIC: Final = GroupPolicy(discipline="semantic")
PER_BATCH: Final = 100
"""Messages of one group in one batch."""
BATCHES: Final = 3
JITTER: Final = 5
"""Within a group. Groups share a network, so that a message overtakes few of its own group's."""
RECENT: Final = 20
"""How many messages of its group back an answer may reach."""


class Stored:
    """Groups whose engines are bytes between two batches."""

    def __init__(self) -> None:
        self.bytes: list[bytes] = []
        self.restore_ns = self.receive_ns = self.snapshot_ns = 0
        self.delivered = 0


def race_groups(options: Options) -> tuple[dict[str, Run], dict[str, float]]:
    """Measure both ways; give the best runs, and the figures that they come to."""
    groups = options.groups
    arrivals = [
        list(conversation(PER_BATCH * BATCHES, jitter=JITTER, recent=RECENT, seed=number))
        for number in range(groups)
    ]
    stored: list[Stored] = []
    kept_name, bytes_name = f"groups_{groups}", f"groups_{groups}_from_bytes"
    runs = race(
        {
            kept_name: partial(_order_kept, arrivals),
            bytes_name: partial(_order_from_bytes, arrivals, stored),
        },
        repeats=options.repeats,
    )
    figures = {f"{name}_messages_per_s": run.per_s for name, run in runs.items()}
    turns = groups * BATCHES
    figures["group_restore_ns"] = min(one.restore_ns for one in stored) / turns
    figures["group_snapshot_ns"] = min(one.snapshot_ns for one in stored) / turns
    figures["busy_group_snapshot_bytes"] = sum(map(len, stored[-1].bytes)) / groups
    return runs, figures


def _order_kept(arrivals: Sequence[Sequence[Arrival]]) -> Run:
    engines = [Engine(SEMANTIC) for _ in arrivals]
    rests = [iter(one) for one in arrivals]
    elapsed_ns = 0
    for batch in range(BATCHES):
        now = FIRST_AT + batch * BATCH_US
        for engine, rest in zip(engines, rests, strict=True):
            messages = decoded(islice(rest, PER_BATCH))
            started = now_ns()
            engine.receive_all(messages, now=now)
            elapsed_ns += now_ns() - started
    delivered = sum(engine.delivered_count for engine in engines)
    return Run(len(arrivals) * PER_BATCH * BATCHES, delivered, elapsed_ns)


def _order_from_bytes(arrivals: Sequence[Sequence[Arrival]], stored: list[Stored]) -> Run:
    groups = Stored()
    groups.bytes = [encode_snapshot(Engine(SEMANTIC).snapshot()) for _ in arrivals]
    rests = [iter(one) for one in arrivals]
    for batch in range(BATCHES):
        now = FIRST_AT + batch * BATCH_US
        for at, rest in enumerate(rests):
            messages = decoded(islice(rest, PER_BATCH))
            started = now_ns()
            engine = Engine.restore(SEMANTIC, decode_snapshot(groups.bytes[at]))
            restored = now_ns()
            engine.receive_all(messages, now=now)
            received = now_ns()
            groups.bytes[at] = encode_snapshot(engine.snapshot())
            groups.snapshot_ns += now_ns() - received
            groups.receive_ns += received - restored
            groups.restore_ns += restored - started
            groups.delivered += engine.delivered_count if batch == BATCHES - 1 else 0
    stored.append(groups)
    elapsed_ns = groups.restore_ns + groups.receive_ns + groups.snapshot_ns
    return Run(len(arrivals) * PER_BATCH * BATCHES, groups.delivered, elapsed_ns)
