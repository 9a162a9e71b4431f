"""Loads that no honest sender makes, and what they cost: processor and memory of a worker.

Each runs a shard as a Python worker does, in a process of its own, so that its memory is its own:
`python -m tests.end_to_end.heavy_weather NAME`. Prints one JSON object.
"""

from __future__ import annotations

import json
import resource
import sys
import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

from ingest.wire.envelope import Envelope, Kind, encode
from ordering.policy import GroupPolicy
from ordering.values import GroupId, MemberId, MessageId
from ordering_udfs.collector import held_back
from ordering_udfs.group_policies import GroupPolicies
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state

MEGABYTE = 1 << 20
GROUPS = 1_000_000
CHAIN = 100_000
CHAIN_SENDERS = 8
"""One sender may hold 20,000 in a group, so that it takes several to fill it."""
PAYLOADS = 200
PAYLOAD_BYTES = MEGABYTE


class Worker:
    """A shard between batches, as Spark keeps it: nothing but the bytes of its state."""

    def __init__(self) -> None:
        self.state = encode_state(ShardState(0))
        self._offsets = count()

    def take(self, values: list[bytes]) -> tuple[float, int]:
        """Order a batch; give the seconds of processor that it took and how much was delivered."""
        rows = RawRows([next(self._offsets) for _ in values], [1_000] * len(values), values)
        began_at = time.process_time()
        with held_back():
            shard = Shard(
                decode_state(self.state), policies=GroupPolicies(GroupPolicy()), partitions=1
            )
            shard.receive(rows)
            self.state = encode_state(shard.finish())
            delivered = len(shard.outputs.ordered.values)
            del shard, rows
        return time.process_time() - began_at, delivered


def message(
    group: str, sender: int, seq: int, *parents: tuple[int, int], payload: bytes = bytes(80)
) -> bytes:
    """One envelope of some 148 bytes."""
    answered = tuple(MessageId(MemberId(f"m{at}#1"), number) for at, number in parents)
    pid = MemberId(f"m{sender}#1")
    return encode(Envelope(Kind.MESSAGE, GroupId(group), pid, seq, answered, payload))


def chain(length: int) -> Iterator[bytes]:
    """Messages that answer each other in a row, by several senders, the first one last."""
    for place in range(length - 1, -1, -1):
        sender, seq = place % CHAIN_SENDERS, place // CHAIN_SENDERS + 1
        before = place - 1
        parents = [] if not place else [(before % CHAIN_SENDERS, before // CHAIN_SENDERS + 1)]
        yield message("chain", sender, seq, *parents)


def million_groups() -> dict[str, Any]:
    """One message for each of a million groups in one batch, then a small batch."""
    worker = Worker()
    values = [message(f"group-{number}", 1, 1) for number in range(GROUPS)]
    input_megabytes = _resident()
    seconds, delivered = worker.take(values)
    del values
    later, _ = worker.take([message("group-7", 1, seq) for seq in range(2, 1_002)])
    return {
        "groups": GROUPS, "delivered": delivered, "seconds": seconds,
        "state_bytes_per_group": round(len(worker.state) / GROUPS, 1),
        "input_megabytes": input_megabytes,
        "small_batch_afterwards_seconds": later,
    }  # fmt: skip


def long_chain() -> dict[str, Any]:
    """A chain of held messages that one message frees, with another group beside it."""
    worker = Worker()
    *waiting, first = chain(CHAIN)
    others = iter([message("other", 1, seq) for seq in range(1, 100_000)])
    held, delivered = worker.take(waiting)
    assert delivered == 0
    state = len(worker.state)
    before, _ = worker.take([next(others) for _ in range(1_000)])
    healing, freed = worker.take([first, *(next(others) for _ in range(1_000))])
    after, _ = worker.take([next(others) for _ in range(1_000)])
    ordinary, _ = worker.take([message("ordinary", 1, seq) for seq in range(1, CHAIN + 1_002)])
    return {
        "chain": CHAIN, "freed": freed - 1_000,
        "state_megabytes_while_held": round(state / MEGABYTE, 1),
        "holding_seconds": held, "batch_before_seconds": before,
        "batch_that_heals_seconds": healing, "batch_after_seconds": after,
        "ordinary_batch_of_that_size_seconds": ordinary,
    }  # fmt: skip


def large_payloads() -> dict[str, Any]:
    """Payloads of the largest size, each answering one that comes after it."""
    worker = Worker()
    payload = bytes(PAYLOAD_BYTES)
    values = [
        message("large", 1, seq, *([(1, seq - 1)] if seq > 1 else []), payload=payload)
        for seq in range(PAYLOADS, 0, -1)
    ]
    half = PAYLOADS // 2
    held, _ = worker.take(values[:half])
    state = len(worker.state)
    freed_seconds, freed = worker.take(values[half:])
    return {
        "payloads": PAYLOADS, "freed": freed, "holding_seconds": held,
        "state_megabytes_while_held": round(state / MEGABYTE, 1),
        "freeing_seconds": freed_seconds,
    }  # fmt: skip


LOADS: dict[str, Callable[[], dict[str, Any]]] = {
    "million_groups": million_groups,
    "long_chain": long_chain,
    "large_payloads": large_payloads,
}


def _resident() -> int:
    """The most memory that this process has had, in megabytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1_024


def main(name: str) -> int:
    """Run one load and tell what it cost."""
    before = _resident()
    facts = LOADS[name]()
    rounded = {
        key: round(value, 3) if isinstance(value, float) else value for key, value in facts.items()
    }
    print(json.dumps({"load": name, **rounded, "empty_megabytes": before,
                      "peak_megabytes": _resident()}))  # fmt: skip
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
