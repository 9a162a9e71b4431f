"""What can be wrong with what goes over the network.

    WireError            the sender's: these bytes are not an envelope of ours
      .reason            a WireReason: which rule they break (counted; kept in quarantine)
      .detail            one sentence with both numbers, for a person
    MulticastError       the operator's: an address or an interface that can't be used

`ingest.wire.envelope.decode` and `ingest.wire.bundle.cut` raise only WireError, whatever the bytes;
`encode` and `pack` raise the same error for what the other would refuse, so that no member can send
what no agent would take, and no agent write what no job would read.
"""

from enum import StrEnum
from typing import Final

EXIT_CONFIGURATION: Final = 4


class WireReason(StrEnum):
    """The rule that was broken. The values are stable: they are written to tables and counters."""

    TOO_SHORT = "too_short"
    NOT_OURS = "not_ours"
    UNKNOWN_VERSION = "unknown_version"
    UNKNOWN_KIND = "unknown_kind"
    UNKNOWN_FLAGS = "unknown_flags"
    UNKNOWN_STAMPS = "unknown_stamps"
    OVER_BOUND = "over_bound"
    LENGTH_MISMATCH = "length_mismatch"
    BAD_TAG = "bad_tag"
    BAD_SEQ = "bad_seq"
    BAD_SENT_AT = "bad_sent_at"
    BAD_GROUP = "bad_group"
    BAD_SENDER = "bad_sender"
    BAD_PARENTS = "bad_parents"
    BAD_STAMPS = "bad_stamps"
    BAD_TICK = "bad_tick"
    BAD_BODY = "bad_body"
    BAD_COUNT = "bad_count"
    BAD_CAPTURED_AT = "bad_captured_at"


class WireError(Exception):
    """These bytes are not an envelope. Count it by `reason`; show `detail` to a person."""

    def __init__(self, reason: WireReason, detail: str) -> None:
        super().__init__(reason, detail)
        self.reason = reason
        self.detail = detail

    def __str__(self) -> str:
        return f"{self.reason.value}: {self.detail}"


class MulticastError(Exception):
    """An address or an interface can't be used; the message says what to give instead."""

    is_operator_error = True
    exit_code = EXIT_CONFIGURATION
