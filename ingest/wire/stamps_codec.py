"""The stamps of a message as bytes: MessagePack, decoded straight into the engine's own tuples.

One number in the prefix says which discipline's stamps follow (0 = none). The decoder knows the
type it wants, so that a value of another shape is refused while it is read and nothing is built
that the engine would not take.
"""

from enum import IntEnum
from typing import Final

import msgspec

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason
from ordering.stamps import CausalStamps, ObjectStamps, SignificantStamps, Stamps


class StampsKind(IntEnum):
    """The number in the prefix. Never reuse one: it stands in logs for years."""

    NONE = 0
    CAUSAL = 1
    SIGNIFICANT = 2
    OBJECTS = 3


_KINDS: Final[dict[type[Stamps], StampsKind]] = {
    CausalStamps: StampsKind.CAUSAL,
    SignificantStamps: StampsKind.SIGNIFICANT,
    ObjectStamps: StampsKind.OBJECTS,
}
_DECODERS: Final[dict[int, msgspec.msgpack.Decoder[Stamps]]] = {
    int(kind): msgspec.msgpack.Decoder(type=stamps_type) for stamps_type, kind in _KINDS.items()
}
_ENCODER: Final = msgspec.msgpack.Encoder()


def encode_stamps(maybe_stamps: Stamps | None) -> tuple[StampsKind, bytes]:
    """Give the kind and the bytes of these stamps. Called by `envelope.encode`, which checks the
    length.
    """
    if maybe_stamps is None:
        return StampsKind.NONE, b""
    kind = _KINDS.get(type(maybe_stamps))
    if kind is None:
        raise WireError(
            WireReason.UNKNOWN_STAMPS,
            f"{type(maybe_stamps).__name__} is none of {', '.join(t.__name__ for t in _KINDS)}",
        )
    _check_numbers(maybe_stamps)
    try:
        return kind, _ENCODER.encode(maybe_stamps)
    except Exception as error:  # whatever the values are, the caller gets one kind of error
        raise WireError(WireReason.BAD_STAMPS, f"these stamps can't be written: {error}") from None


def decode_stamps(kind: int, raw: bytes) -> Stamps | None:
    """Give the stamps that these bytes hold. Called by `envelope.decode` with a length that is
    already checked.
    """
    if kind == StampsKind.NONE:
        if raw:
            raise WireError(
                WireReason.BAD_STAMPS,
                f"{len(raw)} bytes of stamps, and the kind of stamps is 0 (none)",
            )
        return None
    maybe_decoder = _DECODERS.get(kind)
    if maybe_decoder is None:
        raise WireError(
            WireReason.UNKNOWN_STAMPS, f"stamps of kind {kind}; known are 0 to {max(StampsKind)}"
        )
    if len(raw) > bounds.STAMPS_BYTES:
        raise WireError(
            WireReason.OVER_BOUND, f"stamps of {len(raw)} bytes; at most {bounds.STAMPS_BYTES}"
        )
    try:
        stamps = maybe_decoder.decode(raw)
    except Exception as error:  # also RecursionError and UnicodeError: all are bad bytes
        raise WireError(WireReason.BAD_STAMPS, f"stamps of kind {kind}: {error}") from None
    _check_numbers(stamps)
    return stamps


def _check_numbers(stamps: Stamps) -> None:
    """Refuse a number that no column and no snapshot could hold: all of them count something."""
    for field in stamps:
        values: tuple[object, ...] = field if type(field) is tuple else (field,)
        for value in values:
            for number in value if type(value) is tuple else (value,):
                if type(number) is int and not 0 <= number <= bounds.SEQ_LAST:
                    raise WireError(
                        WireReason.BAD_STAMPS,
                        f"the number {number} in the stamps is not from 0 to {bounds.SEQ_LAST}",
                    )
