"""The shard's benchmark: how fast one Python worker takes raw records and gives ordered ones.

Everything between the frames that Spark brings and the frames that it takes back: state from bytes,
decoding, ordering, encoding, state to bytes; no Spark. 148-byte messages, 1,000 groups, jitter 200.
docs/BENCHMARKS.md says what each figure means.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from benchmarks.figures import Measured, at_least, faults_of, rounded
from benchmarks.timing import Run, Say, calibration_loop_ns, now_ns, race
from benchmarks.traffic import Sent, Traffic
from ingest.wire.bundle import pack
from ingest.wire.message_decoder import MessageDecoder
from ordering.engine import Engine
from ordering.policy import GroupPolicy
from ordering.values import Message
from ordering_udfs.collector import held_back
from ordering_udfs.raw_rows import RawRows
from ordering_udfs.shard import Shard
from ordering_udfs.shard_state import ShardState, decode_state, encode_state
from ordering_udfs.warm_shards import WarmShards
from streaming.policy import group_policies
from streaming.settings import JobSettings

MESSAGES: Final = 200_000
BATCH: Final = 100_000
GROUPS: Final = 1_000
JITTER: Final = 200
ENTRIES: Final = 100
REPEATS: Final = 3

GOALS: Final = {"shard_messages_per_s": at_least(300_000)}
"""What one core must give so that Python is no more than half of the job's work."""


def measure(
    *, messages: int = MESSAGES, groups: int = GROUPS, repeats: int = REPEATS, say: Say
) -> Measured:
    """Measure the shard on plain and packed records, and the engine alone on the same messages."""
    say(f"making {messages:,} messages of {groups:,} groups")
    traffic = Traffic(groups=groups, jitter=JITTER)
    pieces = [traffic.piece(min(BATCH, messages)) for _ in range(0, messages, BATCH)]
    plain = [_plain(piece, first=BATCH * at) for at, piece in enumerate(pieces)]
    packed = [_packed(piece, first=BATCH * at) for at, piece in enumerate(pieces)]
    say("ordering them")
    runs = race(
        {
            "shard": lambda: _run_shard(plain, messages),
            "shard_packed": lambda: _run_shard(packed, messages),
            "decoding": lambda: _run_decoding(plain, messages),
            "engine": lambda: _run_engine(pieces, messages),
        },
        repeats=repeats,
    )
    figures = {f"{name}_messages_per_s": rounded(run.per_s) for name, run in runs.items()}
    figures["ratio_shard_to_engine"] = rounded(runs["shard"].per_s / runs["engine"].per_s)
    figures["state_bytes_per_group"] = rounded(_state_bytes(plain) / groups)
    figures["calibration_loop_ns"] = rounded(min(calibration_loop_ns() for _ in range(5)))
    return Measured(figures, GOALS, faults_of(runs))


def _plain(piece: Sequence[Sent], *, first: int) -> RawRows:
    count = len(piece)
    return RawRows(range(first, first + count), [5] * count, [sent.content for sent in piece])


def _packed(piece: Sequence[Sent], *, first: int) -> RawRows:
    values = [
        pack([(5, sent.content) for sent in piece[at : at + ENTRIES]])
        for at in range(0, len(piece), ENTRIES)
    ]
    return RawRows(range(first, first + len(values)), [5] * len(values), values)


def _run_shard(batches: Sequence[RawRows], messages: int, *, is_warm: bool = True) -> Run:
    """Order batch by batch, with the engines of the last batch at hand if `is_warm`."""
    warm, encoded = WarmShards(), encode_state(ShardState(0))
    delivered = elapsed_ns = 0
    policies = group_policies(JobSettings())
    for batch in batches:
        started = now_ns()
        with held_back():
            state, engines = warm.take(0, encoded)
            shard = Shard(state, policies=policies, partitions=1, engines=engines)
            shard.receive(batch)
            encoded = encode_state(shard.finish())
            if is_warm:
                warm.keep(0, encoded, state=state, engines=engines)
            delivered += len(shard.outputs.ordered.values)
            del shard
        elapsed_ns += now_ns() - started
    return Run(messages, delivered, elapsed_ns)


def _run_decoding(batches: Sequence[RawRows], messages: int) -> Run:
    decoder = MessageDecoder()
    started = now_ns()
    with held_back():
        for batch in batches:
            for offset, captured_at, value in zip(*batch, strict=True):
                decoder.decode(value, (offset, 0, captured_at))
    return Run(messages, messages, now_ns() - started)


def _run_engine(pieces: Sequence[Sequence[Sent]], messages: int) -> Run:
    """Give each group's messages of a piece to its engine at once; making them is not counted."""
    decoder = MessageDecoder()
    engines: dict[str, Engine] = {}
    elapsed_ns = 0
    for piece in pieces:
        batches: dict[str, list[Message]] = {}
        for sent in piece:
            _, maybe_message = decoder.decode(sent.content, (0, 0, 0))
            if maybe_message is not None:
                batches.setdefault(sent.group, []).append(maybe_message)
        started = now_ns()
        with held_back():
            for group, batch in batches.items():
                engine = engines.setdefault(group, Engine(GroupPolicy()))
                engine.receive_all(batch, now=0)
        elapsed_ns += now_ns() - started
    return Run(messages, sum(one.delivered_count for one in engines.values()), elapsed_ns)


def _state_bytes(batches: Sequence[RawRows]) -> int:
    encoded = encode_state(ShardState(0))
    for batch in batches:
        shard = _new_shard(encoded)
        shard.receive(batch)
        encoded = encode_state(shard.finish())
    return len(encoded)


def _new_shard(encoded: bytes) -> Shard:
    policies = group_policies(JobSettings())
    return Shard(decode_state(encoded), policies=policies, partitions=1)
