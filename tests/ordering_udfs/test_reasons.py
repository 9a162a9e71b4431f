"""What is refused has the reason of the one who refused it first."""

from __future__ import annotations

from ingest.wire.envelope import Envelope, Kind
from ingest.wire.errors import WireError, WireReason
from ingest.wire.refusal import Refusal, encode_refusal
from ordering.values import GroupId, MemberId
from ordering_udfs.reasons import notice_of, reason_of

NO_ENVELOPE = WireError(WireReason.TOO_SHORT, "4 bytes")


def test_an_agents_reason_counts_before_our_own() -> None:
    refused = encode_refusal(Refusal("forged", "10.0.0.7:4000", "bob#1:7", b"data"))
    assert reason_of(refused, NO_ENVELOPE)[0] == "forged"
    assert reason_of(b"junk", NO_ENVELOPE) == ("too_short", "4 bytes")
    assert reason_of(refused[:5], NO_ENVELOPE)[0] != "forged"


def test_a_control_record_that_is_no_notice_gives_none() -> None:
    assert notice_of(Envelope(Kind.CONTROL, GroupId("g"), MemberId("a#1"), 1)) is None
