"""The healed gap's benchmark: what one crowd costs the other groups of its partition.

A hundred thousand messages of one group wait for one that is missing. It comes, in a batch with a
thousand messages of other groups. How long that batch takes, against a batch of as many messages
that never waited, and against a batch while they wait, is what the others feel of it. No Spark.
docs/BENCHMARKS.md says what each figure means.
"""

from __future__ import annotations

from typing import Final

from benchmarks.figures import Measured, at_most, rounded
from benchmarks.timing import Say, calibration_loop_ns, now_ns
from ingest.wire.envelope import Envelope, Kind, encode
from ordering.values import GroupId, MemberId, MessageId
from ordering_udfs.collector import held_back
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, encode_state
from ordering_udfs.warm_shards import WarmShards
from streaming.policy import group_policies
from streaming.settings import JobSettings

WAITING: Final = 100_000
SENDERS: Final = 10
"""Each sender has a room of its own for what is held (`Limits.held_per_sender`)."""
OTHERS: Final = 1_000
PAYLOAD: Final = bytes(64)
NS_PER_MS: Final = 1_000_000

GOALS: Final = {"ratio_healing_to_plain": at_most(3.0)}
"""A batch that heals a gap may take this many times as long as one with as many plain messages."""


class Partition:
    """A shard that lives for several batches, as in a worker."""

    def __init__(self) -> None:
        self._warm = WarmShards()
        self._policies = group_policies(JobSettings())
        self.encoded = encode_state(ShardState(0))
        self._offset = 0
        self.delivered = 0

    def take(self, values: list[bytes]) -> int:
        """Order a batch; gives the nanoseconds."""
        first, self._offset = self._offset, self._offset + len(values)
        rows = RawRows(range(first, self._offset), [5] * len(values), values)
        started = now_ns()
        with held_back():
            state, engines = self._warm.take(0, self.encoded)
            shard = Shard(state, policies=self._policies, partitions=1, engines=engines)
            shard.receive(rows)
            self.encoded = encode_state(shard.finish())
            self._warm.keep(0, self.encoded, state=state, engines=engines)
            self.delivered += len(shard.outputs.ordered.values)
            del shard
        return now_ns() - started


def measure(*, waiting: int = WAITING, others: int = OTHERS, say: Say) -> Measured:
    """Fill a gap's queue, heal it, and compare."""
    say(f"holding {waiting:,} messages of one group")
    partition = Partition()
    crowd = _crowd(waiting, parent=("root#1", 1))
    for at in range(0, waiting, waiting // SENDERS):
        partition.take(crowd[at : at + waiting // SENDERS])
    held_bytes = len(partition.encoded)
    calm = [_message(f"g{n % 100}", f"a{n % 100}#1", n // 100 + 1, ()) for n in range(2 * others)]
    say("delivering others meanwhile, then healing the gap among them")
    meanwhile = partition.take(calm[:others])
    root = _message("crowd", "root#1", 1, ())
    healing = partition.take([*calm[others : others + others // 2], root, *calm[-others // 2 :]])
    plain = Partition()
    plain.take([root])
    plainly = plain.take([*calm[:others], *crowd])
    delivered = partition.delivered + plain.delivered
    expected = (waiting + 2 * others + 1) + (waiting + others + 1)
    faults = () if delivered == expected else (f"{delivered} of {expected} were delivered",)
    figures = {
        "healing_batch_ms": rounded(healing / NS_PER_MS),
        "plain_batch_ms": rounded(plainly / NS_PER_MS),
        "ratio_healing_to_plain": rounded(healing / plainly),
        "meanwhile_batch_ms": rounded(meanwhile / NS_PER_MS),
        "state_bytes_per_held": rounded(held_bytes / waiting),
        "calibration_loop_ns": rounded(min(calibration_loop_ns() for _ in range(5))),
    }
    return Measured(figures, GOALS, faults)


def _crowd(waiting: int, *, parent: tuple[str, int]) -> list[bytes]:
    """Chains of several senders that all begin at one message."""
    return [
        _message(
            "crowd",
            f"s{n % SENDERS}#1",
            n // SENDERS + 1,
            (parent,) if n < SENDERS else ((f"s{n % SENDERS}#1", n // SENDERS),),
        )
        for n in range(waiting)
    ]


def _message(group: str, sender: str, seq: int, parents: tuple[tuple[str, int], ...]) -> bytes:
    ids = tuple(MessageId(MemberId(name), number) for name, number in parents)
    return encode(Envelope(Kind.MESSAGE, GroupId(group), MemberId(sender), seq, ids, PAYLOAD))
