"""The byte form of one shard's state: the one binary column that Spark keeps per raw partition.

The first byte is `FORMAT_VERSION`; the rest is msgpack. Each group's snapshot stays a byte string
of its own inside, so that a batch decodes only the groups that it touches and copies the others as
they are.
"""

from __future__ import annotations

import msgspec

from ordering.snapshots import Snapshot
from ordering_udfs.errors import StateError

FORMAT_VERSION = 3
READABLE_VERSIONS = (2, 3)
"""Fields are only ever added at the end, each with what it is where it is missing."""

REASONS_SINCE = 3
EARLIER = "earlier_release"
"""Stands for the reasons of what was quarantined before they were counted."""

BEFORE_ALL_TIME = -1
"""The log's time of a partition that has no record yet."""

_SNAPSHOT_ENCODER = msgspec.msgpack.Encoder()
_SNAPSHOT_DECODER = msgspec.msgpack.Decoder()


class ShardState(msgspec.Struct, array_like=True):
    """What one raw partition came to so far.

    `delivered`, `quarantined`, `waits` and `membership` are also the last ordinals given out in
    those topics. What is held is not counted: it is what remains of `captured` when the other
    fates are taken away.

    `now` is the log's time: that of the last tick, or of the first record while there was none.
    `tick_offset` is where that tick stood; a message captured before it and still held has been
    told as waiting. `fresh` are the groups that were touched since and hold something, `deadlines`
    the instants at which others will give something up: a tick looks at no further group.
    `policies` are those that control records gave to groups.

    `reasons` counts what was quarantined. `waiting` has, for each group that held something at its
    last tick, how much is missing there and when the oldest held message was captured.
    """

    partition: int
    through_offset: int = -1
    captured: int = 0
    delivered: int = 0
    duplicates: int = 0
    quarantined: int = 0
    waits: int = 0
    now: int = BEFORE_ALL_TIME
    tick_offset: int = -1
    fresh: list[str] = []
    deadlines: dict[str, int] = {}
    policies: dict[str, str] = {}
    groups: dict[str, bytes] = {}
    membership: int = 0
    reasons: dict[str, int] = {}
    waiting: dict[str, tuple[int, int]] = {}

    @property
    def held(self) -> int:
        """How many captured messages are waiting."""
        return self.captured - self.delivered - self.duplicates - self.quarantined - self.membership


_STATE_ENCODER = msgspec.msgpack.Encoder()
_STATE_DECODER = msgspec.msgpack.Decoder(ShardState)


def encode_state(state: ShardState) -> bytes:
    """Bytes for Spark's state column."""
    return bytes((FORMAT_VERSION,)) + _STATE_ENCODER.encode(state)


def decode_state(encoded: bytes) -> ShardState:
    """The reverse of `encode_state`; raises `StateError` when the bytes are not such a state."""
    if not encoded:
        raise StateError("the saved state is empty: restore the checkpoint from a copy, or rebuild")
    if encoded[0] not in READABLE_VERSIONS:
        raise StateError(
            f"the saved state has format {encoded[0]}, this program reads "
            f"{' and '.join(map(str, READABLE_VERSIONS))}: "
            "run the release that wrote it, or start with a new checkpoint and replay the log"
        )
    try:
        state = _STATE_DECODER.decode(memoryview(encoded)[1:])
    except msgspec.DecodeError as error:
        raise StateError(
            f"the saved state cannot be read ({error}): restore the checkpoint from a copy, "
            "or start with a new checkpoint and replay the log"
        ) from error
    if encoded[0] < REASONS_SINCE and state.quarantined:
        state.reasons = {EARLIER: state.quarantined}
    return state


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """Bytes of one group's engine."""
    return _SNAPSHOT_ENCODER.encode(snapshot)


def decode_snapshot(encoded: bytes) -> Snapshot:
    """Plain values of one group's engine, as `Engine.restore` takes them."""
    snapshot: Snapshot = _SNAPSHOT_DECODER.decode(encoded)
    return snapshot
