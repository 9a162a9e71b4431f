"""The gap notice: a control envelope by which an agent says what it had to give up.

An agent whose spool is full and may not stand still drops its oldest messages
(`ingest/spool/dropped.py`) and publishes, for each group that lost some, a control envelope with
this payload, in JSON:

    {"notice": "capture_gap", "reason": "spool_full", "agent": "edge-1", "messages": 812,
     "first_captured_at": 1760000000000000, "last_captured_at": 1760000004000000}

No such envelope passes an agent's intake, so one in the raw topic is an agent's own. The job writes
it to quarantine under the reason `capture_gap`.
"""

import json
from typing import Any, Final, NamedTuple

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.errors import WireError, WireReason
from ordering.values import GroupId, MemberId

CAPTURE_GAP: Final = "capture_gap"
SPOOL_FULL: Final = "spool_full"
_LAST: Final = 2**63 - 1


class GapNotice(NamedTuple):
    """What an agent gave up of one group; the others are those of which nobody else tells."""

    agent: str
    messages: int
    first_captured_at: int
    last_captured_at: int
    other_groups: int = 0
    other_messages: int = 0

    def __str__(self) -> str:
        others = f", and {self.other_messages} of {self.other_groups} other groups"
        return (
            f"the agent {self.agent} gave up {self.messages} messages, captured from"
            f" {self.first_captured_at} to {self.last_captured_at}"
            + (others if self.other_groups else "")
        )


def encode_notice(notice: GapNotice, *, group: GroupId, seq: int) -> bytes:
    """Write a notice to a group. Raises WireError for a group or an agent that can't be named."""
    fields = {"notice": CAPTURE_GAP, "reason": SPOOL_FULL, **notice._asdict()}
    payload = json.dumps(fields, sort_keys=True).encode()
    sender = MemberId(f"{notice.agent}#1")
    return encode(Envelope(Kind.CONTROL, group, sender, seq, payload=payload))


def decode_notice(envelope: Envelope) -> GapNotice:
    """Read the notice that a control envelope carries. Raises WireError and nothing else."""
    try:
        fields: Any = json.loads(envelope.payload)
    except (ValueError, RecursionError):
        raise WireError(WireReason.BAD_BODY, "no JSON") from None
    is_notice = isinstance(fields, dict) and fields.get("notice") == CAPTURE_GAP
    if envelope.kind is not Kind.CONTROL or not is_notice:
        raise WireError(WireReason.BAD_BODY, "no gap notice")
    agent = fields.get("agent")
    numbers = [fields.get(name, 0) for name in GapNotice._fields[1:]]
    if not isinstance(agent, str) or not all(
        type(number) is int and 0 <= number <= _LAST for number in numbers
    ):
        raise WireError(WireReason.BAD_BODY, "a gap notice with fields of the wrong kind")
    return GapNotice(agent, *numbers)
