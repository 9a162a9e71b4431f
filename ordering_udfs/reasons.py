"""Why something captured is no message: in one word for counting, and in a sentence for people."""

from __future__ import annotations

from ingest.wire.envelope import Envelope
from ingest.wire.errors import WireError
from ingest.wire.gap_notice import decode_notice
from ingest.wire.refusal import decode_refusal, is_refusal

WRONG_PARTITION = "wrong_partition"
UNSUPPORTED_KIND = "unsupported_kind"
FOREIGN_TICK = "foreign_tick"
UNPROCESSABLE = "unprocessable"


def notice_of(envelope: Envelope) -> str | None:
    """What an agent tells of a loss, if this is a notice of it."""
    try:
        return str(decode_notice(envelope))
    except WireError:
        return None


def reason_of(content: bytes, error: WireError) -> tuple[str, str]:
    """Why these bytes are no message: an agent refused them and says why, or they are no envelope
    (`error`).
    """
    if is_refusal(content):
        try:
            refusal = decode_refusal(content)
        except WireError as damage:
            return damage.reason.value, damage.detail
        return refusal.reason, refusal.sentence
    return error.reason.value, error.detail
