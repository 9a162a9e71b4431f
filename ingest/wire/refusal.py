"""The refusal, version 1: a datagram that an agent would not let pass, wrapped with the reason.

An agent never publishes bytes of the network as they are unless they are an envelope that may
pass: a datagram can look like anything the raw topic holds, a bundle or a tick or a refusal. What
is refused goes to the raw topic inside this record, as a sample at a bounded rate; the job can't
take it for a message and writes it to quarantine with the agent's reason.

     0  4s magic "PRCR"    4 B version (1)    5 B reserved (0)
     6  H reason length    8 H source length  10 H detail length
    12  reason | source | detail | the datagram as it was captured

    50524352 01 00 0006 000e 0000  "forged" "10.0.0.7:40001" "" PRCD...
"""

import re
from struct import Struct
from typing import Final, NamedTuple

from ingest.wire import bounds
from ingest.wire.errors import WireError, WireReason

MAGIC: Final = b"PRCR"
VERSION: Final = 1

_HEAD: Final = Struct(">4sBBHHH")
HEAD_BYTES: Final = _HEAD.size
_REASON: Final = re.compile(r"[a-z][a-z0-9_]*", re.ASCII)
_CUT: Final = " ..."


class Refusal(NamedTuple):
    """One refused datagram: why, in a word; who sent it (nobody has proved it); why, for people."""

    reason: str
    source: str
    detail: str
    datagram: bytes

    @property
    def sentence(self) -> str:
        """What a person reads in quarantine."""
        return f"from {self.source}: {self.detail}" if self.detail else f"from {self.source}"


def is_refusal(value: bytes) -> bool:
    """Tell whether bytes of the raw topic are a refusal; nothing else has this magic."""
    return value[:4] == MAGIC


def encode_refusal(refusal: Refusal) -> bytes:
    """Write a refusal; texts and a datagram that are too long are cut. Called by the agent.

    Raises WireError for a reason that is no word, and nothing else.
    """
    reason = refusal.reason.encode("utf-8", "replace")
    _check_reason(reason)
    source = _cut(refusal.source, bounds.SOURCE_BYTES)
    detail = _cut(refusal.detail, bounds.DETAIL_BYTES)
    head = _HEAD.pack(MAGIC, VERSION, 0, len(reason), len(source), len(detail))
    return b"".join((head, reason, source, detail, refusal.datagram[: bounds.REFUSED_BYTES]))


def decode_refusal(value: bytes) -> Refusal:
    """Read a refusal. Raises WireError and nothing else, whatever the bytes."""
    size = len(value)
    if size < HEAD_BYTES:
        raise WireError(WireReason.TOO_SHORT, f"{size} bytes; a refusal has at least {HEAD_BYTES}")
    magic, version, reserved, reason_length, source_length, detail_length = _HEAD.unpack_from(value)
    if magic != MAGIC:
        raise WireError(WireReason.NOT_OURS, f"starts with {magic!r}, not with {MAGIC!r}")
    if version != VERSION:
        raise WireError(
            WireReason.UNKNOWN_VERSION, f"version {version}; this reader knows {VERSION}"
        )
    if reserved:
        raise WireError(WireReason.UNKNOWN_FLAGS, f"flags {reserved:#04x}; none is known")
    after_reason = HEAD_BYTES + reason_length
    after_source = after_reason + source_length
    after_detail = after_source + detail_length
    if (
        source_length > bounds.SOURCE_BYTES
        or detail_length > bounds.DETAIL_BYTES
        or size - after_detail > bounds.REFUSED_BYTES
    ):
        raise WireError(
            WireReason.OVER_BOUND,
            f"a source of {source_length} bytes, a detail of {detail_length}, a datagram of"
            f" {size - after_detail}; at most {bounds.SOURCE_BYTES}, {bounds.DETAIL_BYTES},"
            f" {bounds.REFUSED_BYTES}",
        )
    if after_detail > size:
        raise WireError(
            WireReason.LENGTH_MISMATCH, f"{size} bytes; its texts alone take {after_detail}"
        )
    reason = value[HEAD_BYTES:after_reason]
    _check_reason(reason)
    try:
        source = value[after_reason:after_source].decode("utf-8")
        detail = value[after_source:after_detail].decode("utf-8")
    except UnicodeDecodeError as error:
        raise WireError(
            WireReason.BAD_BODY, f"a text of the refusal is not UTF-8 at its byte {error.start}"
        ) from None
    return Refusal(reason.decode("ascii"), source, detail, value[after_detail:])


def _check_reason(reason: bytes) -> None:
    is_short = len(reason) <= bounds.REASON_BYTES
    if not is_short or not _REASON.fullmatch(reason.decode("latin-1")):
        raise WireError(
            WireReason.BAD_BODY,
            f"a reason of {len(reason)} bytes; it is a word of at most {bounds.REASON_BYTES} small"
            " letters",
        )


def _cut(text: str, most: int) -> bytes:
    """Give the text in at most so many bytes, without half a letter at the end."""
    encoded = text.encode("utf-8", "replace")
    if len(encoded) <= most:
        return encoded
    return encoded[: most - len(_CUT)].decode("utf-8", "ignore").encode() + _CUT.encode()
