"""The byte form of one shard's state: the one binary column that Spark keeps per raw partition.

The first byte is `FORMAT_VERSION`; the rest is msgpack. Each group's snapshot stays a byte string
of its own inside, so that a batch decodes only the groups that it touches and copies the others as
they are.
"""

from __future__ import annotations

import msgspec

from ordering.snapshots import Snapshot
from ordering_udfs.errors import StateError

FORMAT_VERSION = 1

_SNAPSHOT_ENCODER = msgspec.msgpack.Encoder()
_SNAPSHOT_DECODER = msgspec.msgpack.Decoder()


class ShardState(msgspec.Struct, array_like=True):
    """What one raw partition came to so far.

    `delivered` and `quarantined` are also the last ordinals given out in those topics. What is
    held is not counted: it is what remains of `captured` when the other three are taken away.
    """

    partition: int
    through_offset: int = -1
    captured: int = 0
    delivered: int = 0
    duplicates: int = 0
    quarantined: int = 0
    groups: dict[str, bytes] = {}

    @property
    def held(self) -> int:
        """How many captured messages are waiting."""
        return self.captured - self.delivered - self.duplicates - self.quarantined


_STATE_ENCODER = msgspec.msgpack.Encoder()
_STATE_DECODER = msgspec.msgpack.Decoder(ShardState)


def encode_state(state: ShardState) -> bytes:
    """Bytes for Spark's state column."""
    return bytes((FORMAT_VERSION,)) + _STATE_ENCODER.encode(state)


def decode_state(encoded: bytes) -> ShardState:
    """The reverse of `encode_state`; raises `StateError` when the bytes are not such a state."""
    if not encoded:
        raise StateError("the saved state is empty: restore the checkpoint from a copy, or rebuild")
    if encoded[0] != FORMAT_VERSION:
        raise StateError(
            f"the saved state has format {encoded[0]}, this program reads format {FORMAT_VERSION}: "
            "run the release that wrote it, or start with a new checkpoint and replay the log"
        )
    try:
        return _STATE_DECODER.decode(memoryview(encoded)[1:])
    except msgspec.DecodeError as error:
        raise StateError(
            f"the saved state cannot be read ({error}): restore the checkpoint from a copy, "
            "or start with a new checkpoint and replay the log"
        ) from error


def encode_snapshot(snapshot: Snapshot) -> bytes:
    """Bytes of one group's engine."""
    return _SNAPSHOT_ENCODER.encode(snapshot)


def decode_snapshot(encoded: bytes) -> Snapshot:
    """Plain values of one group's engine, as `Engine.restore` takes them."""
    snapshot: Snapshot = _SNAPSHOT_DECODER.decode(encoded)
    return snapshot
