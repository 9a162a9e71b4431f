"""From rows of `deliveries` back to the envelopes that were captured, byte for byte.

The reverse of `sinks.decoding.delivery_row`, for answers to members: tags must stay good, and two
copies of a message must not differ. An envelope has one spelling but for its stamps, where another
writer of MessagePack may have chosen a longer one; those come back in ours.
"""

from __future__ import annotations

from typing import Any, Final

from ingest.wire.envelope import Envelope, Kind, encode
from ingest.wire.stamps_codec import decode_stamps
from sinks.errors import RecordError
from sinks.identity import parse_id

COLUMNS: Final = (
    "group", "position", "sender", "seq", "parent", "also", "payload", "sent_at",
    "stamps", "stamps_kind", "key_id", "tag", "is_sealed",
)  # fmt: skip
"""What `envelope_bytes` needs of a row; `sent_at` as whole microseconds."""


def envelope_bytes(row: dict[str, Any]) -> bytes:
    """The datagram that the sender made. Raises WireError or RecordError for a row that is none."""
    parents = [] if row["parent"] is None else [row["parent"], *(row["also"] or ())]
    maybe_kind = row["stamps_kind"]
    if maybe_kind is None and row["stamps"] is not None:
        raise RecordError("the row was written by a release that did not keep the kind of stamps")
    return encode(
        Envelope(
            Kind.MESSAGE,
            row["group"],
            row["sender"],
            row["seq"],
            tuple(parse_id(parent) for parent in parents),
            row["payload"] or b"",
            row["sent_at"],
            None if maybe_kind is None else decode_stamps(maybe_kind, row["stamps"] or b""),
            row["key_id"] or 0,
            row["tag"] or b"",
            bool(row["is_sealed"]),
        )
    )
